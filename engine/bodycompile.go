package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
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
			if later, _, content, ok := c.fileNamed(b.FileTemplate); ok && later == nil {
				r.bodyText = template.Literal(string(content))
			} else {
				r.bodyFile = later
			}
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

// quoteParam is how names stand in the head of a part of a form (RFC 7578 and HTML).
var quoteParam = strings.NewReplacer(`"`, "%22", "\r", "%0D", "\n", "%0A")

// multipart builds a multipart/form-data body (RFC 7578). The boundary is drawn from the content, so
// that the same file always sends the same bytes.
func (c *compiler) multipart(r *request, body *config.Body, in *config.Request) {
	var parts []bodyPart
	sum := sha256.New()
	for i := range body.Form {
		name, ok := c.constantOf(body.Form[i].Name, "form field")
		if !ok {
			continue
		}
		var b template.Builder
		b.Literal(`Content-Disposition: form-data; name="`+quoteParam.Replace(name)+"\"\r\n\r\n").Add(c.text(body.Form[i].Value), template.Raw)
		parts = append(parts, bodyPart{text: b.Template()})
		sum.Write([]byte(name + "\x00" + body.Form[i].Value.Value))
	}
	for i := range body.Uploads {
		u := &body.Uploads[i]
		file := u.File
		var later *runTimeFile
		var content []byte
		var ok bool
		if u.Template.Set() {
			later, file, content, ok = c.fileNamed(u.Template)
		} else {
			content, ok = c.content(file, in.Pos, in.Path+".upload-files")
		}
		switch {
		case !ok:
		case later != nil:
			sum.Write([]byte(u.Template.Value))
			parts = append(parts, bodyPart{file: later, param: u.Param, kind: u.MIMEType})
		default:
			sum.Write(content)
			parts = append(parts, bodyPart{text: template.Literal(uploadHead(u.Param, file, u.MIMEType) + string(content))})
		}
	}
	r.boundary = "stacrun-" + hex.EncodeToString(sum.Sum(nil)[:12])
	r.join(parts)
}

// join puts the boundary between the parts: into one template, but around files that are only known at run time.
func (r *request) join(parts []bodyPart) {
	var b template.Builder
	for _, p := range parts {
		b.Literal("--" + r.boundary + "\r\n")
		if p.text != nil {
			b.Add(p.text, template.Raw)
		} else {
			r.parts = append(r.parts, bodyPart{text: b.Template()}, p)
		}
		b.Literal("\r\n")
	}
	b.Literal("--" + r.boundary + "--\r\n")
	if r.parts == nil {
		r.bodyText = b.Template()
		return
	}
	r.parts = append(r.parts, bodyPart{text: b.Template()})
}

// content reads a file once per plan.
func (c *compiler) content(name string, pos diag.Pos, path string) ([]byte, bool) {
	if content, ok := c.files[name]; ok {
		return content, true
	}
	content, err := c.opts.ReadFile(name)
	if err != nil {
		c.unreadable(name, pos, path, err)
		return nil, false
	}
	c.files[name] = content
	return content, true
}

// unreadable tells that a file which the document names cannot be read.
func (c *compiler) unreadable(name string, pos diag.Pos, path string, err error) {
	hint := "write the name of a file that this user may read"
	if errors.Is(err, fs.ErrNotExist) {
		hint = "it is looked up beside the file that names it, then in the working directory"
	}
	c.list.Errorf("unreadable-file", pos, path, "read %q: %s", name, plainError(err)).WithHint("%s", hint)
}
