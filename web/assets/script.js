'use strict';
(() => {
  const one = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const secret = one('meta[name="secret"]').content;
  const startable = document.body.dataset.start === 'yes';
  const make = (tag, props = {}, ...children) => {
    const e = Object.assign(document.createElement(tag), props);
    e.append(...children);
    return e;
  };
  const text = (id, value) => { const e = one('#' + id); if (e.textContent !== value) e.textContent = value; };
  const show = (id, on) => { one('#' + id).hidden = !on; };

  // Theme: what the system says, or what was chosen.
  const themes = ['auto', 'light', 'dark'];
  let theme = 'auto';
  const setTheme = (name) => {
    theme = themes.includes(name) ? name : 'auto';
    if (theme === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    text('theme', 'Theme: ' + theme);
    localStorage.setItem('stacrun-theme', theme);
  };
  setTheme(localStorage.getItem('stacrun-theme'));
  one('#theme').addEventListener('click', () => setTheme(themes[(themes.indexOf(theme) + 1) % themes.length]));

  // Views.
  const tabs = all('[role="tab"]');
  let view = '';
  const open = (name) => {
    view = name;
    for (const tab of tabs) {
      const on = tab.id === 'tab-' + name;
      tab.setAttribute('aria-selected', String(on));
      tab.tabIndex = on ? 0 : -1;
    }
    for (const panel of all('[role="tabpanel"]')) panel.hidden = panel.id !== 'view-' + name;
    if (name === 'runs') listRuns();
    if (name === 'log') readLog();
    if (name === 'start' && !loaded) loadSettings();
  };
  for (const tab of tabs) {
    tab.addEventListener('click', () => open(tab.id.slice(4)));
    tab.addEventListener('keydown', (e) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
      if (!step) return;
      const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
      open(next.id.slice(4));
      next.focus();
    });
  }

  // Requests. What went wrong is said at the top until something goes right.
  const trouble = (message) => { text('trouble', message); show('trouble', message !== ''); };
  const ask = async (path, body) => {
    try {
      const options = body === undefined ? {} : {
        method: 'POST', body: JSON.stringify(body), headers: { 'Content-Type': 'application/json', 'X-Stacrun-Secret': secret },
      };
      const response = await fetch(path, options);
      const value = await response.json();
      trouble(response.ok || value.diagnostics ? '' : value.error);
      return value;
    } catch (e) {
      trouble('The page does not answer: ' + e.message);
      return { ok: false };
    }
  };

  // Start.
  let loaded = false;
  let fields = [];
  const loadSettings = async () => {
    const { settings, diagnostics } = await ask('/api/settings');
    if (!settings) return;
    loaded = true;
    text('file-names', (settings.files || []).join(', ') || settings.name);
    fields = [];
    one('#groups').replaceChildren(...(settings.groups || []).map((group) => {
      const box = make('div', { className: 'fields' });
      for (const f of group.fields || []) {
        const input = make('input', { type: 'text', value: f.value, defaultValue: f.value, placeholder: f.hint, name: f.path, spellcheck: false });
        input.addEventListener('input', () => { input.classList.toggle('changed', input.value !== f.value); input.classList.remove('wrong'); });
        fields.push({ ...f, input });
        box.append(make('label', { className: f.name.startsWith('default-address') ? 'wide' : '' }, f.name, input));
      }
      return make('fieldset', {}, make('legend', {}, group.title + ' ', make('small', { textContent: group.note })), box);
    }));
    tell(diagnostics || []);
  };
  const tell = (diagnostics) => {
    one('#mistakes').replaceChildren(...diagnostics.map((d) => {
      const hint = [d.path && 'at ' + d.path, d.hint].filter(Boolean).join(' – ');
      const item = make('li', { className: d.severity }, d.message);
      if (hint) item.append(make('small', { textContent: hint }));
      return item;
    }));
    for (const f of fields) f.input.classList.toggle('wrong', diagnostics.some((d) => d.severity === 'error' && d.path === f.path));
  };
  one('#form').addEventListener('reset', () => setTimeout(() => { for (const f of fields) f.input.classList.remove('changed', 'wrong'); tell([]); }));
  one('#form').addEventListener('submit', async (e) => {
    e.preventDefault();
    const overrides = [];
    for (const f of fields) {
      const value = f.input.value.trim();
      if (value === f.value) continue;
      if (value !== '') overrides.push(f.path + '=' + value);
      else overrides.push(f.path.replace(/([^.]+)$/, '^$1') + '='); // taken out of the document
    }
    for (const line of one('#more').value.split('\n')) if (line.trim() !== '') overrides.push(line.trim());
    one('#go').disabled = true;
    const answer = await ask('/api/start', { overrides });
    one('#go').disabled = busy(now.phase);
    tell(answer.diagnostics || []);
    if (answer.ok) open('run');
  });

  // The run.
  let now = { phase: 'idle' };
  const busy = (phase) => phase === 'starting' || phase === 'running' || phase === 'stopping';
  const control = (execution, body) => ask('/api/control', { execution, ...body });
  const paused = () => (now.executions || []).length > 0 && now.executions.every((x) => x.paused);
  one('#pause').addEventListener('click', () => control('', { do: paused() ? 'resume' : 'pause' }));
  one('#stop').addEventListener('click', () => ask('/api/stop', {}));

  const tones = (tone) => (tone ? tone + '-text' : '');
  // fill sets the children of a box, of which only those that differ are made anew.
  const rows = (box, list, build) => {
    while (box.children.length > list.length) box.lastElementChild.remove();
    list.forEach((item, i) => {
      const key = JSON.stringify(item);
      const old = box.children[i];
      if (old && old.dataset.key === key) return;
      const fresh = build(item);
      fresh.dataset.key = key;
      if (old) old.replaceWith(fresh); else box.append(fresh);
    });
  };
  const cells = (list, bad) => list.map((value, i) => make('td', { className: 'n' + (bad && i === 2 ? ' bad-text' : ''), textContent: value }));

  const render = (s) => {
    now = s;
    const word = s.outcome ? s.outcome.result : s.phase === 'running' && paused() ? 'paused' : s.phase;
    const badge = one('#phase');
    text('phase', word);
    badge.className = 'badge ' + (s.outcome ? s.outcome.result : s.phase);
    if (s.name) text('name', s.name);
    document.title = (s.name || one('#name').textContent) + ': ' + word;
    text('about', s.phase === 'idle' ? '' : [s.elapsed + (s.planned ? ' of ' + s.planned : ''), s.ends && 'ends ' + s.ends, s.id].filter(Boolean).join(' · '));
    show('bar', s.progress >= 0 && busy(s.phase));
    one('#bar i').style.width = 100 * Math.max(0, s.progress) + '%';
    one('#bar').setAttribute('aria-valuenow', String(Math.round(100 * Math.max(0, s.progress))));
    show('pause', s.phase === 'running');
    text('pause', paused() ? 'Resume' : 'Pause');
    show('stop', busy(s.phase));
    text('stop', s.phase === 'stopping' ? 'Stop at once' : 'Stop');
    one('#go').disabled = busy(s.phase);
    text('go', busy(s.phase) ? 'A run is under way' : 'Start the run');
    show('nothing', s.phase === 'idle');
    show('whole', s.phase !== 'idle');
    show('warning', s.warning !== '');
    text('warning', s.warning);

    show('outcome', Boolean(s.outcome));
    if (s.outcome) {
      text('reason', s.outcome.reason || 'The run has ' + s.outcome.result + '.');
      rows(one('#errors'), s.outcome.errors || [], (e) => make('li', { textContent: e }));
    }
    rows(one('#downloads'), s.outcome && s.id ? files.map(([file, name]) => ({ id: s.id, file, name })) : [], (f) => link(f.id, f.file, f.name, 'button'));
    rows(one('#cards'), s.cards || [], (c) => make('div', { className: 'card ' + c.tone }, make('span', { textContent: c.name }), make('b', { textContent: c.value }), make('span', { textContent: c.note })));
    show('loads', !s.outcome && (s.executions || []).some((x) => x.now));
    loads(s.executions || [], s.phase);
    show('spread', (s.agents || []).length > 0);
    rows(one('#agents'), s.agents || [], (a) => make('tr', {}, make('th', { scope: 'row' }, a.name, ...(a.host && a.host !== a.name ? [' ', make('small', { textContent: a.host })] : [])), make('td', { className: tones(a.tone), textContent: a.state }), ...a.cells.map((value) => make('td', { className: 'n', textContent: value }))));
    show('rules', (s.criteria || []).length > 0);
    rows(one('#criteria'), s.criteria || [], rule);
    charts(s);
    rows(one('#labels'), s.labels || [], (l) => make('tr', {}, make('th', { scope: 'row' }, l.name, ...(l.kind ? [' ', make('span', { className: 'tag', textContent: l.kind })] : [])), ...cells(l.cells, l.failed)));
    text('label-note', s.label_note);
    show('failures', (s.faults || []).length > 0);
    rows(one('#faults'), s.faults || [], (f) => make('tr', {}, make('th', { scope: 'row', textContent: f.label }), make('td', { className: 'bad-text', textContent: f.fault + (f.code ? ' ' + f.code : '') }), make('td', { className: 'n', textContent: f.count }), make('td', { className: 'wide', textContent: f.text })));
    show('happened', (s.events || []).length > 0);
    rows(one('#events'), s.events || [], (e) => make('li', {}, make('time', { textContent: e.at }), make('span', { className: 'tag', textContent: e.kind }), ' ' + e.text));
  };

  const rule = (r) => {
    const seen = [r.observed && (r.word === 'not evaluated' ? r.observed : 'observed ' + r.observed), r.limit && 'limit ' + r.limit].filter(Boolean).join(', ');
    const box = make('div', { className: 'rule' }, make('b', { className: tones(r.tone), textContent: r.word }), make('span', { className: 'what', textContent: r.text }), make('span', { className: 'seen soft', textContent: seen }));
    if (r.word === 'filling') {
      const fill = make('i');
      fill.style.width = 100 * r.progress + '%';
      box.append(make('span', { className: 'fill', title: Math.round(100 * r.progress) + '% of the window' }, fill));
    }
    return box;
  };

  // The load keeps its inputs: what is being typed must not vanish with the next second.
  const loads = (list, phase) => {
    const box = one('#executions');
    const names = JSON.stringify(list.map((x) => [x.name, x.open]));
    if (box.dataset.names !== names) {
      box.dataset.names = names;
      box.replaceChildren(...list.map((x) => {
        const input = make('input', { type: 'number', min: 0, step: x.open ? 'any' : 1, required: true });
        input.setAttribute('aria-label', (x.open ? 'Arrivals per second of ' : 'Users of ') + x.name);
        const form = make('form', {}, input, make('small', { textContent: x.open ? '/s' : 'users' }), make('button', { type: 'submit', textContent: 'Set' }));
        form.addEventListener('submit', async (e) => {
          e.preventDefault();
          const level = Number(input.value);
          await control(x.name, { do: 'load', ...(x.open ? { arrival_rate: level } : { concurrency: level }) });
          delete input.dataset.touched;
          input.blur();
        });
        input.addEventListener('input', () => { input.dataset.touched = 'yes'; });
        const pause = make('button', { type: 'button', className: 'hold' });
        pause.addEventListener('click', () => control(x.name, { do: pause.textContent === 'Resume' ? 'resume' : 'pause' }));
        const row = make('div', { className: 'load' }, make('b', { textContent: x.name }), make('span'), form, pause);
        if (list.length > 1) {
          const stop = make('button', { type: 'button', textContent: 'Stop' });
          stop.addEventListener('click', () => control(x.name, { do: 'stop' }));
          row.append(stop);
        }
        return row;
      }));
    }
    list.forEach((x, i) => {
      const row = box.children[i];
      one('span', row).textContent = (x.now || '') + ' ' + x.planned;
      one('.hold', row).textContent = x.paused ? 'Resume' : 'Pause';
      const input = one('input', row);
      if (!input.dataset.touched && document.activeElement !== input) input.value = x.level;
      for (const control of all('button, input', row)) control.disabled = phase !== 'running';
    });
  };

  // Charts come drawn; the pointer only picks values.
  let hover = null;
  const charts = (s) => {
    const box = one('#panels');
    const ids = JSON.stringify((s.panels || []).map((p) => p.id));
    if (box.dataset.ids !== ids) {
      box.dataset.ids = ids;
      box.replaceChildren(...(s.panels || []).map((p) => make('figure', {},
        make('figcaption', {}, make('h3', { textContent: p.title }), make('small', { textContent: p.note }),
          make('div', { className: 'legend' }, ...p.lines.map((l) => make('span', { className: 'key' }, make('i', { className: l.id }), make('span', { textContent: l.name }), make('b'))))),
        make('div', { className: 'drawing' }))));
    }
    (s.panels || []).forEach((p, i) => { one('.drawing', box.children[i]).innerHTML = p.svg; });
    values();
  };
  const values = () => {
    const list = now.panels || [];
    const last = (now.times || []).length - 1;
    const at = hover === null || last < 0 ? null : Math.min(last, Math.max(0, Math.round(hover)));
    text('at', at === null ? '' : 'at ' + now.times[at]);
    list.forEach((p, i) => {
      const figure = one('#panels').children[i];
      if (!figure) return;
      all('.key b', figure).forEach((b, k) => { b.textContent = at === null ? p.lines[k].now : p.lines[k].values[at] || '–'; });
      const cursor = one('.cursor', figure);
      cursor.classList.toggle('on', at !== null);
      if (at === null) return;
      cursor.setAttribute('x1', xOf(at) + '%');
      cursor.setAttribute('x2', xOf(at) + '%');
    });
  };
  // Points stand in the middle of their slots; the axis is at least ten seconds long.
  const widths = () => {
    const seconds = (clock) => clock.split(':').reduce((sum, part) => 60 * sum + Number(part), 0);
    const times = now.times || [];
    const width = times.length > 1 ? seconds(times[1]) - seconds(times[0]) : 1;
    return { width, span: Math.max(10, times.length * width) };
  };
  const xOf = (i) => { const { width, span } = widths(); return 100 * (i + .5) * width / span; };
  one('#panels').addEventListener('pointermove', (e) => {
    const plot = e.target.closest && e.target.closest('svg.chart');
    if (!plot) return;
    const style = getComputedStyle(plot);
    const box = plot.getBoundingClientRect();
    const left = parseFloat(style.paddingLeft);
    const share = (e.clientX - box.left - left) / (box.width - left - parseFloat(style.paddingRight));
    const { width, span } = widths();
    hover = share * span / width - .5;
    values();
  });
  one('#panels').addEventListener('pointerleave', () => { hover = null; values(); });

  // Log and history.
  const readLog = async () => {
    if (!now.id) return;
    try {
      const response = await fetch('/api/log/' + encodeURIComponent(now.id));
      const box = one('#log');
      const below = box.scrollTop + box.clientHeight >= box.scrollHeight - 4;
      text('log', response.ok ? (await response.text()) || 'The log is empty.' : 'There is no log yet.');
      if (below) box.scrollTop = box.scrollHeight;
    } catch { /* the stream tells that the page is gone */ }
  };
  setInterval(() => { if (view === 'log' && !document.hidden && busy(now.phase)) readLog(); }, 2000);

  const files = [['report.html', 'Report'], ['totals.csv', 'CSV'], ['timeline.csv', 'Timeline'], ['junit.xml', 'JUnit'], ['report.md', 'Markdown'], ['summary.json', 'JSON']];
  const link = (id, file, name, className = '') => {
    const path = '/runs/' + encodeURIComponent(id) + '/' + file;
    return file === 'report.html'
      ? make('a', { href: path, target: '_blank', rel: 'noopener', textContent: name, className })
      : make('a', { href: path + '?save=1', download: '', textContent: name, className });
  };
  const short = (v) => (v >= 100 ? Math.round(v).toLocaleString('en') : String(Number(v.toPrecision(3))));
  const listRuns = async () => {
    const { runs } = await ask('/api/runs');
    if (!runs) return;
    const figure = (value) => make('td', { className: 'n', textContent: value });
    one('#runs').replaceChildren(...runs.map((r, i) => {
      const tone = { passed: 'good', failed: 'bad', error: 'bad', interrupted: 'warn' }[r.outcome];
      const choice = make('input', { type: 'checkbox', value: r.id });
      choice.setAttribute('aria-label', 'Compare ' + r.id);
      choice.dataset.order = String(i);
      choice.addEventListener('change', chosen);
      const known = r.outcome !== '';
      return make('tr', {},
        make('th', { scope: 'row' }, make('label', {}, choice, ' ', r.name || r.id), make('br'), make('small', { textContent: new Date(r.started).toLocaleString() })),
        make('td', { className: tones(tone), textContent: r.outcome || (r.id === now.id && busy(now.phase) ? 'under way' : 'no end') }),
        figure(known ? r.requests.toLocaleString('en') : '–'), figure(known && r.requests ? (100 * r.failed / r.requests).toFixed(r.failed ? 2 : 0) + '%' : '–'),
        figure(known && r.rate !== null ? short(r.rate) + '/s' : '–'), figure(known && r.p95_ms !== null ? short(r.p95_ms) + ' ms' : '–'),
        figure(known ? r.duration_s.toFixed(1) + ' s' : '–'),
        make('td', { className: 'files' }, ...files.filter(([file]) => file !== 'timeline.csv' && file !== 'report.md').map(([file, name]) => link(r.id, file, name)), make('a', { href: '/runs/' + encodeURIComponent(r.id) + '/report.html?save=1', textContent: 'Save' })));
    }));
    chosen();
  };
  const chosen = () => {
    const picks = all('#runs input:checked').sort((a, b) => a.dataset.order - b.dataset.order);
    const button = one('#compare');
    button.setAttribute('aria-disabled', String(picks.length !== 2));
    if (picks.length !== 2) { button.removeAttribute('href'); return; }
    button.href = '/runs/' + encodeURIComponent(picks[0].value) + '/report.html?before=' + encodeURIComponent(picks[1].value);
    button.target = '_blank';
  };

  // The stream. A lost one comes back by itself, with the whole state.
  let shown = '';
  const listen = () => {
    const stream = new EventSource('/api/live');
    stream.onopen = () => { text('link', 'live'); one('#link').classList.remove('lost'); };
    stream.onmessage = (e) => {
      const s = JSON.parse(e.data);
      const was = now.phase;
      render(s);
      if (was !== s.phase && s.phase === 'ended' && view === 'runs') listRuns();
      if (shown === '') { shown = 'yes'; if (busy(s.phase) || !startable) open('run'); }
      const word = s.phase === 'ended' || s.phase === 'idle' ? '' : 'live';
      text('link', word);
    };
    stream.addEventListener('bye', () => { stream.close(); text('link', 'the run is over; this is its last state'); setTimeout(back, 3000); });
    stream.onerror = () => {
      text('link', 'connection lost, trying again');
      one('#link').classList.add('lost');
      if (stream.readyState === EventSource.CLOSED) setTimeout(listen, 3000);
    };
  };
  // After a good-bye the address may be taken again by a next run, whose page has another secret.
  const back = async () => {
    try {
      const response = await fetch('/', { method: 'HEAD' });
      if (response.ok) location.reload(); else setTimeout(back, 5000);
    } catch { setTimeout(back, 5000); }
  };
  open(startable ? 'start' : 'run');
  listen();
})();
