package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"mime"
	"path/filepath"
	"strings"

	"golang.org/x/text/encoding/htmlindex"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/engine/template"
)

// body compiles what a request sends.
func (c *compiler) body(r *request, in *config.Request, s *config.RequestSettings) {
	b := &in.Body
	switch b.Kind {
	case config.TextBody:
		r.bodyText = c.text(b.Text)
	case config.JSONBody:
		var j template.JSONBuilder
		c.json(&j, b.Tree, in.Path+".body")
		r.bodyText = j.Template()
	case config.FormBody:
		r.bodyText = c.form(b.Form)
	case config.QueryBody:
		if len(b.Form) > 0 {
			r.query = c.form(b.Form)
		}
	case config.FileBody:
		if b.FileTemplate.Set() {
			c.bodyFile(r, b.FileTemplate)
		} else if content, ok := c.content(b.File, in.Pos, in.Path+".body-file"); ok {
			r.bodyText = template.Literal(string(content))
		}
	case config.MultipartBody:
		c.multipart(r, b, in)
	}
	if s.ContentEncoding.Set() && s.ContentEncoding.Value != "" && b.Kind != config.FileBody && b.Kind != config.MultipartBody {
		if name, ok := c.constantOf(s.ContentEncoding, "content-encoding"); ok && !strings.EqualFold(name, "utf-8") {
			charset, err := htmlindex.Get(name)
			if err != nil {
				c.list.Errorf("bad-encoding", s.ContentEncoding.Pos, s.ContentEncoding.Path, "unknown character set %q", name).WithHint("write utf-8 or iso-8859-1")
				return
			}
			r.charset = charset
		}
	}
}

// bodyFile compiles a body that stands in a file whose name holds ${…}: read now when the name does not change, else when it is
// first asked for.
func (c *compiler) bodyFile(r *request, name config.Text) {
	compiled, list := c.beside(name.Pos).Text(name.Value, name.Pos, name.Path)
	c.list.Add(list...)
	if list.HasErrors() {
		return
	}
	if constant, ok := compiled.Constant(); ok {
		content, err := c.beside(name.Pos).ReadFile(constant)
		if err != nil {
			c.list.Errorf("unreadable-file", name.Pos, name.Path, "read %q: %s", constant, plainError(err))
			return
		}
		r.bodyText = template.Literal(string(content))
		return
	}
	r.bodyFile, r.readFile = compiled, c.opts.ReadFile
	if name.Pos.File != "" {
		r.bodyDir = filepath.Dir(name.Pos.File)
	}
	c.plan.runTimeFiles = append(c.plan.runTimeFiles, RunTimeFile{r.bodyDir, name})
}

// json walks a tree into a template of compact JSON. Scalars that were not quoted keep their JSON type.
func (c *compiler) json(b *template.JSONBuilder, n *config.Node, path string) {
	if n == nil {
		b.Literal("null")
		return
	}
	switch n.Kind {
	case config.Mapping:
		b.Object()
		for i := range n.Entries {
			e := &n.Entries[i]
			b.Key(c.text(config.Text{Value: e.Key, Pos: e.KeyPos, Path: path}))
			c.json(b, e.Value, path+"."+e.Key)
		}
		b.End()
	case config.Sequence:
		b.Array()
		for _, item := range n.Items {
			c.json(b, item, path)
		}
		b.End()
	case config.Null:
		b.Literal("null")
	default:
		if n.Plain() != config.PlainText {
			list := &config.Node{Kind: config.Sequence, Items: []*config.Node{n}}
			b.Literal(strings.Trim(list.String(), "[]"))
			return
		}
		b.Text(c.text(config.Text{Value: n.Text, Pos: n.Pos, Path: path}))
	}
}

func (c *compiler) form(fields []config.Field) *template.Template {
	var b template.Builder
	for i := range fields {
		if i > 0 {
			b.Literal("&")
		}
		b.Add(c.text(fields[i].Name), template.Query).Literal("=").Add(c.text(fields[i].Value), template.Query)
	}
	return b.Template()
}

// multipart builds a multipart/form-data body (RFC 7578). The boundary is drawn from the content, so
// that the same file always sends the same bytes.
func (c *compiler) multipart(r *request, body *config.Body, in *config.Request) {
	type part struct {
		head    string
		content *template.Template
	}
	var parts []part
	sum := sha256.New()
	quote := strings.NewReplacer(`"`, "%22", "\r", "%0D", "\n", "%0A")
	for i := range body.Form {
		name, ok := c.constantOf(body.Form[i].Name, "form field")
		if !ok {
			continue
		}
		parts = append(parts, part{`Content-Disposition: form-data; name="` + quote.Replace(name) + "\"\r\n\r\n", c.text(body.Form[i].Value)})
		sum.Write([]byte(name + "\x00" + body.Form[i].Value.Value))
	}
	for i := range body.Uploads {
		u := &body.Uploads[i]
		content, ok := c.content(u.File, in.Pos, in.Path+".upload-files")
		if !ok {
			continue
		}
		kind := u.MIMEType
		if kind == "" {
			kind = mime.TypeByExtension(filepath.Ext(u.File))
		}
		if kind == "" {
			kind = "application/octet-stream"
		}
		sum.Write(content)
		parts = append(parts, part{
			`Content-Disposition: form-data; name="` + quote.Replace(u.Param) + `"; filename="` + quote.Replace(filepath.Base(u.File)) + "\"\r\nContent-Type: " + kind + "\r\n\r\n",
			template.Literal(string(content)),
		})
	}
	r.boundary = "stacrun-" + hex.EncodeToString(sum.Sum(nil)[:12])
	var b template.Builder
	for _, p := range parts {
		b.Literal("--"+r.boundary+"\r\n"+p.head).Add(p.content, template.Raw).Literal("\r\n")
	}
	r.bodyText = b.Literal("--" + r.boundary + "--\r\n").Template()
}

// content reads a file once per plan.
func (c *compiler) content(name string, pos diag.Pos, path string) ([]byte, bool) {
	if content, ok := c.files[name]; ok {
		return content, true
	}
	content, err := c.opts.ReadFile(name)
	if err != nil {
		c.list.Errorf("unreadable-file", pos, path, "read %q: %s", name, plainError(err))
		return nil, false
	}
	c.files[name] = content
	return content, true
}
