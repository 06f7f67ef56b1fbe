(() => {
  'use strict';
  const one = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const clamp = (v, low, high) => Math.min(Math.max(v, low), high);
  for (const tools of all('.tools, #theme, #spread label')) tools.hidden = false;

  // The theme: what the system says, or what was chosen; a file may have no storage.
  const themes = ['auto', 'light', 'dark'];
  const button = one('#theme');
  const setTheme = (name) => {
    if (name === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = name;
    button.textContent = 'Theme: ' + name;
    button.dataset.now = name;
    try { localStorage.setItem('stacrun-theme', name); } catch { /* not allowed here */ }
  };
  let remembered = null;
  try { remembered = localStorage.getItem('stacrun-theme'); } catch { /* not allowed here */ }
  setTheme(themes.includes(remembered) ? remembered : 'auto');
  button.addEventListener('click', () => setTheme(themes[(themes.indexOf(button.dataset.now) + 1) % themes.length]));

  // On paper everything is open.
  let opened = [];
  addEventListener('beforeprint', () => { opened = all('details:not([open])'); for (const d of opened) d.open = true; });
  addEventListener('afterprint', () => { for (const d of opened) d.open = false; });

  if (one('#label-table')) labels();
  const data = one('#data');
  if (data) timelines(JSON.parse(data.textContent));

  function labels() {
    const table = one('#label-table');
    const body = table.tBodies[0];
    const rows = [...body.rows];
    const figures = new Map(rows.map((row) => [row, row.dataset.v.split(' ').map(Number)]));
    const name = (row) => one('bdi', row).textContent;

    for (const head of all('th[data-column]', table)) {
      const sort = document.createElement('button');
      sort.type = 'button';
      sort.append(...head.childNodes);
      head.append(sort);
      sort.addEventListener('click', () => {
        const column = Number(head.dataset.column);
        const before = head.getAttribute('aria-sort');
        // Names begin with A, figures with the greatest.
        const up = before ? before === 'descending' : column < 0;
        for (const h of all('th[aria-sort]', table)) h.removeAttribute('aria-sort');
        head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
        const compare = column < 0
          ? (a, b) => name(a).localeCompare(name(b), undefined, { numeric: true })
          : (a, b) => figures.get(a)[column] - figures.get(b)[column];
        rows.sort((a, b) => (up ? compare(a, b) : compare(b, a)));
        body.append(...rows);
      });
    }

    const filter = one('#filter');
    const shown = one('#shown');
    const apply = () => {
      const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
      let n = 0;
      for (const row of rows) {
        const text = row.cells[0].textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
        if (!row.hidden) n++;
      }
      shown.textContent = n === rows.length ? `${n} labels` : `${n} of ${rows.length} labels`;
    };
    filter.addEventListener('input', apply);
    apply();

    // The large distribution shows the strip of a label: both have the same axis.
    const select = one('#spread-of');
    const chart = one('#spread svg.chart');
    const shape = one('#spread .plot .shape');
    if (!shape) { one('#spread label').hidden = true; return; }
    const whole = table.tFoot.rows[0];
    const choices = [whole, ...rows.filter((row) => one('.shape', row))];
    select.append(...choices.map((row, i) => new Option(i ? name(row) : 'all requests', String(i))));
    const label = chart.getAttribute('aria-label');
    const first = shape.getAttribute('d');
    const show = (i) => {
      const row = choices[i];
      const beside = one('#spread .beside');
      if (beside) beside.style.display = i ? 'none' : '';
      shape.setAttribute('d', i ? one('.shape', row).getAttribute('d') : first);
      const strip = one('.strip', row);
      chart.setAttribute('aria-label', i ? strip.getAttribute('aria-label') : label);
      const texts = strip.dataset.levels.split('|');
      all('#spread .levels text').forEach((text, k) => {
        const [at, content] = texts[k].split('=');
        const x = Number(at);
        text.textContent = content;
        text.setAttribute('x', x + '%');
        text.setAttribute('dx', x > 70 ? '-5' : '5');
        text.setAttribute('text-anchor', x > 70 ? 'end' : 'start');
        const line = text.previousElementSibling;
        line.setAttribute('x1', x + '%');
        line.setAttribute('x2', x + '%');
      });
    };
    select.addEventListener('change', () => show(Number(select.value)));
    for (const row of choices) {
      const cell = one('.strip-cell', row);
      cell.style.cursor = 'pointer';
      cell.addEventListener('click', () => {
        select.value = String(choices.indexOf(row));
        show(Number(select.value));
        one('#spread').scrollIntoView({ block: 'center' });
      });
    }
  }

  function timelines(d) {
    const SVG = 'http://www.w3.org/2000/svg';
    const UNIT = 10000;
    const box = one('.lines');
    const readout = one('.readout', box);
    const hint = 'Point at a chart for values, drag to zoom.';
    let from = 0, to = d.span, cursor = -1;

    const panels = d.panels.map((p) => {
      const figure = one(`[data-panel="${p.id}"]`);
      const svg = one('svg.chart', figure);
      const selection = document.createElementNS(SVG, 'rect');
      selection.setAttribute('class', 'selection');
      selection.setAttribute('height', '100%');
      svg.append(selection);
      const plot = one('.plot', svg);
      const lines = p.lines.map((line) => ({
        ...line,
        path: one(`[data-line="${line.id}"]`, svg),
        key: one(`.key[data-line="${line.id}"]`, figure),
      }));
      const panel = { ...p, svg, plot, lines, selection, drawn: Number(plot.dataset.top), cursor: one('.cursor', svg) };
      for (const line of lines) {
        line.key.addEventListener('click', () => {
          const on = line.key.getAttribute('aria-pressed') !== 'true';
          line.key.setAttribute('aria-pressed', String(on));
          line.path.toggleAttribute('hidden', !on);
          draw();
        });
      }
      point(panel);
      return panel;
    });

    // The box that the values are drawn in, within the svg element.
    function inner(svg) {
      const r = svg.getBoundingClientRect(), s = getComputedStyle(svg);
      const left = r.left + parseFloat(s.paddingLeft);
      return { left, width: Math.max(r.right - parseFloat(s.paddingRight) - left, 1) };
    }

    function point(panel) {
      const svg = panel.svg;
      let start = null;
      const at = (e) => { const r = inner(svg); return clamp((e.clientX - r.left) / r.width, 0, 1); };
      svg.addEventListener('pointerdown', (e) => {
        if (e.button !== 0) return;
        start = at(e);
        if (e.pointerType === 'mouse') svg.setPointerCapture(e.pointerId);
        move(at(e));
      });
      svg.addEventListener('pointermove', (e) => {
        const x = at(e);
        move(x);
        if (start === null || e.pointerType !== 'mouse') return;
        for (const p of panels) {
          p.selection.setAttribute('x', 100 * Math.min(start, x) + '%');
          p.selection.setAttribute('width', 100 * Math.abs(x - start) + '%');
        }
      });
      svg.addEventListener('pointerup', (e) => {
        const x = at(e), a = start;
        clear();
        if (a !== null && e.pointerType === 'mouse' && Math.abs(x - a) * inner(svg).width > 6) {
          zoom(from + Math.min(a, x) * (to - from), from + Math.max(a, x) * (to - from));
        }
      });
      svg.addEventListener('pointercancel', clear);
      svg.addEventListener('dblclick', () => zoom(0, d.span));
      svg.addEventListener('pointerleave', (e) => { if (e.pointerType === 'mouse' && start === null) setCursor(-1); });
      function clear() {
        start = null;
        for (const p of panels) p.selection.setAttribute('width', '0');
      }
    }

    function move(x) {
      const t = from + x * (to - from);
      setCursor(clamp(Math.floor(t / d.width), 0, d.times.length - 1));
    }

    function setCursor(i) {
      cursor = i;
      const t = i < 0 ? 0 : d.times[i];
      for (const p of panels) {
        p.cursor.classList.toggle('on', i >= 0 && t >= from && t <= to);
        const x = 100 * (t - from) / (to - from) + '%';
        p.cursor.setAttribute('x1', x);
        p.cursor.setAttribute('x2', x);
        for (const line of p.lines) {
          const v = i < 0 ? null : line.values[i];
          one('b', line.key).textContent = i < 0 ? '' : v === null ? '–' : format(p.unit, v);
        }
      }
      readout.replaceChildren();
      if (i < 0) { readout.textContent = hint; return; }
      const when = document.createElement('b');
      when.textContent = clock(i * d.width, 1) + (d.width > 1 ? '–' + clock(Math.min((i + 1) * d.width, d.span), 1) : '');
      let text = `  ${d.counts[i].toLocaleString('en')} requests` + (d.failed[i] ? `, ${d.failed[i].toLocaleString('en')} failed` : '');
      const near = d.marks.filter((m) => m.at >= i * d.width && m.at < (i + 1) * d.width);
      if (near.length) text += '; ' + near.map((m) => m.text).join('; ');
      readout.append(when, text);
    }

    function zoom(a, b) {
      const least = Math.min(4 * d.width, d.span);
      const width = clamp(b - a, least, d.span);
      from = clamp((a + b) / 2 - width / 2, 0, d.span - width);
      to = from + width;
      draw();
    }

    function zoomBy(factor) {
      const middle = cursor >= 0 ? d.times[cursor] : (from + to) / 2;
      const width = (to - from) * factor;
      zoom(middle - width / 2, middle + width / 2);
    }

    function draw() {
      for (const p of panels) {
        let top = p.top || 0;
        for (const line of p.lines) {
          if (line.key.getAttribute('aria-pressed') !== 'true') continue;
          line.values.forEach((v, i) => {
            const t = d.times[i];
            if (v !== null && t >= from - d.width && t <= to + d.width) top = Math.max(top, v);
          });
        }
        const ticks = round(top, 4);
        top = ticks[ticks.length - 1];
        const share = top / p.drawn;
        p.plot.setAttribute('viewBox', `${UNIT * from / d.span} ${UNIT * (1 - share)} ${UNIT * (to - from) / d.span} ${UNIT * share}`);
        // What stands for a time reaches from end to end of the moved axis.
        for (const mark of all('.mark', p.plot)) mark.setAttribute('d', mark.getAttribute('d').replace(/ .*/, ` ${UNIT * (1 - share)}V${UNIT}`));
        for (const band of all('.band', p.plot)) { band.setAttribute('y', UNIT * (1 - share)); band.setAttribute('height', UNIT * share); }
        axis(one('.values', p.svg), ticks.map((v) => [100 * (1 - v / top), format(p.unit, v)]), true);
        const n = clamp(Math.floor(inner(p.svg).width / 62), 2, 12);
        const step = timeStep(to - from, n);
        const times = [];
        for (let t = Math.ceil(from / step - 1e-9) * step; t <= to + 1e-9; t += step) times.push([100 * (t - from) / (to - from), clock(t, step)]);
        axis(one('.times', p.svg), times, false);
      }
      setCursor(cursor);
    }

    function axis(group, ticks, values) {
      group.replaceChildren(...ticks.flatMap(([at, text]) => {
        const line = document.createElementNS(SVG, 'line'), label = document.createElementNS(SVG, 'text');
        const where = values
          ? [{ x2: '100%', y1: at + '%', y2: at + '%' }, { x: '-8', y: at + '%', dy: '4' }]
          : [{ y2: '100%', x1: at + '%', x2: at + '%' }, { x: at + '%', y: '100%', dy: '17' }];
        [line, label].forEach((e, i) => Object.entries(where[i]).forEach(([k, v]) => e.setAttribute(k, v)));
        label.style.display = 'inline'; // as many as there is room for
        label.textContent = text;
        return [line, label];
      }));
    }

    box.addEventListener('keydown', (e) => {
      if (e.ctrlKey || e.metaKey || e.altKey || e.target.closest('button')) return;
      const visible = (t) => t >= from && t <= to;
      const step = (by) => {
        let next = cursor < 0 ? d.times.findIndex(visible) : clamp(cursor + by, 0, d.times.length - 1);
        if (next < 0) next = 0;
        if (!visible(d.times[next])) { const w = to - from; zoom(d.times[next] - w / 2, d.times[next] + w / 2); }
        setCursor(next);
      };
      const keys = {
        ArrowLeft: () => step(e.shiftKey ? -10 : -1), ArrowRight: () => step(e.shiftKey ? 10 : 1),
        '+': () => zoomBy(0.5), '=': () => zoomBy(0.5), '-': () => zoomBy(2),
        Escape: () => { zoom(0, d.span); setCursor(-1); },
      };
      if (!keys[e.key]) return;
      e.preventDefault();
      keys[e.key]();
    });
    for (const b of all('[data-zoom]', box)) {
      b.addEventListener('click', () => (b.dataset.zoom === 'all' ? zoom(0, d.span) : zoomBy(b.dataset.zoom === 'in' ? 0.5 : 2)));
    }
    addEventListener('resize', draw);
    draw();
  }

  // Axis values as charts.Ticks makes them.
  function round(top, n) {
    if (!(top > 0)) return [0, 1];
    const power = 10 ** Math.floor(Math.log10(top / n));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= top / n * (1 - 1e-9));
    const ticks = [];
    for (let i = 0; i <= Math.ceil(top / step - 1e-9); i++) ticks.push(Number((i * step).toPrecision(12)));
    return ticks;
  }

  function timeStep(span, n) {
    const steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];
    return steps.find((s) => span <= s * n) ?? 86400 * Math.ceil(span / n / 86400);
  }

  function clock(t, step) {
    const digits = step < 1 ? 1 : 0;
    const scale = 10 ** digits;
    const rounded = Math.round(t * scale) / scale;
    const s = Math.floor(rounded), two = (v) => String(v).padStart(2, '0');
    const rest = digits ? '.' + Math.round((rounded - s) * scale) : '';
    const text = two(Math.floor(s / 60) % 60) + ':' + two(s % 60) + rest;
    return s >= 3600 ? Math.floor(s / 3600) + ':' + text : text;
  }

  function format(unit, v) {
    if (unit === 's') {
      if (v === 0) return '0';
      if (v < 0.001) return digits(v * 1e6) + 'µs';
      if (v < 0.9995) return digits(v * 1e3) + 'ms';
      if (v < 60) return digits(v) + 's';
      const whole = Math.round(v), m = Math.floor(whole / 60), s = whole % 60;
      return m + 'm' + (s ? s + 's' : '');
    }
    return digits(v, true) + (unit === 'n' ? '' : unit);
  }

  function digits(v, large) {
    if (large && v >= 1e6) return Number((v / 1e6).toPrecision(3)) + 'M';
    if (large && v >= 1e4) return Math.round(v / 100) / 10 + 'k';
    return v >= 100 ? String(Math.round(v)) : String(Number(v.toPrecision(3)));
  }
})();
