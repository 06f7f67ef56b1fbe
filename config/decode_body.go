package config

import (
	"mime"
	"path/filepath"
	"strings"
)

const formType = "application/x-www-form-urlencoded"

// body decides what a request sends (Taurus d.1): a text as it stands; a mapping or list as JSON
// under a JSON content type; a flat mapping as form fields, in the query of methods without a
// body; any other mapping or list as JSON, with the content type that Taurus forgets.
func (d *decoder) body(a at, method, contentType string) Body {
	body, file, uploads := a.get("body"), a.get("body-file"), a.get("upload-files")
	if body.Node != nil && file.Node != nil {
		d.diags.Warnf("conflict", a.Node.Entry("body-file").KeyPos, file.path, "body-file has no effect beside body")
		file = at{}
	}
	if uploads.Node != nil && len(uploads.items()) > 0 {
		return d.uploads(uploads, body, method)
	}
	if file.scalar() {
		return d.bodyFile(file, method)
	}
	if body.Node == nil {
		return Body{}
	}
	json := isJSONType(contentType)
	switch {
	case body.Kind == Scalar:
		return Body{Kind: TextBody, Text: d.text(body)}
	case json:
		return Body{Kind: JSONBody, Tree: body.Node}
	case body.Kind == Mapping && flat(body.Node):
		form := d.fields(body)
		switch method {
		case "GET", "DELETE", "OPTIONS", "HEAD":
			return Body{Kind: QueryBody, Form: form}
		}
		return Body{Kind: FormBody, Form: form, ContentType: formType}
	}
	return Body{Kind: JSONBody, Tree: body.Node, ContentType: "application/json"}
}

// isJSONType reports whether a content type, in small letters, means JSON, parameters aside.
func isJSONType(contentType string) bool {
	kind, _, _ := strings.Cut(contentType, ";")
	kind = strings.TrimSpace(kind)
	return kind == "application/json" || strings.HasSuffix(kind, "+json")
}

// flat reports whether all values of a mapping are texts, numbers or booleans.
func flat(n *Node) bool {
	for _, e := range n.Entries {
		if e.Value.Kind != Scalar {
			return false
		}
	}
	return len(n.Entries) > 0
}

func (d *decoder) fields(a at) []Field {
	var out []Field
	for _, e := range a.entries() {
		path := a.path + "." + PathPart(e.Key)
		value := d.text(at{e.Value, path})
		if e.Value.Plain() == PlainBool { // Taurus prints Python's words
			value.Value = strings.ToUpper(value.Value[:1]) + strings.ToLower(value.Value[1:])
		}
		out = append(out, Field{Name: Text{Value: e.Key, Pos: e.KeyPos, Path: path}, Value: value})
	}
	return out
}

func (d *decoder) bodyFile(file at, method string) Body {
	if method == "GET" {
		d.diags.Warnf("ignored", file.Pos, file.path, "body-file is not sent with GET").WithHint("write \"method: POST\"")
		return Body{}
	}
	if isTemplate(file.Text) {
		return Body{Kind: FileBody, FileTemplate: d.text(file)}
	}
	return Body{Kind: FileBody, File: d.resolveFile(file, "body-file")}
}

// uploads reads files: multipart for POST, the first one as it stands for PUT.
func (d *decoder) uploads(list, body at, method string) Body {
	var files []Upload
	for _, item := range list.mappings() {
		path := item.get("path")
		u := Upload{Param: d.word(item.get("param")), MIMEType: d.word(item.get("mime-type"))}
		made := path.scalar() && isTemplate(path.Text)
		ending := filepath.Ext(d.word(path))
		if u.MIMEType == "" && (!made || ending != "" && !strings.Contains(ending, "}")) {
			u.MIMEType = orElse(mime.TypeByExtension(ending), "application/octet-stream")
		}
		if made {
			u.Template = d.text(path)
		} else {
			u.File = d.resolveFile(path, "upload file")
		}
		if u.Param == "" && method != "PUT" {
			d.diags.Errorf("missing-key", item.Pos, item.path, "\"param\" is missing in upload").WithHint("name the form field that holds the file")
		}
		files = append(files, u)
	}
	if len(files) == 0 {
		return Body{}
	}
	if method == "PUT" {
		if len(files) > 1 {
			d.diags.Warnf("ignored", list.Items[1].Pos, list.path+".1", "PUT sends the first file only")
		}
		return Body{Kind: FileBody, File: files[0].File, FileTemplate: files[0].Template, ContentType: orElse(files[0].MIMEType, "application/octet-stream")}
	}
	out := Body{Kind: MultipartBody, Uploads: files}
	switch {
	case body.Node == nil:
	case body.Kind == Mapping && flat(body.Node):
		out.Form = d.fields(body)
	default:
		d.diags.Errorf("conflict", body.Pos, body.path, "beside upload-files, body must be a flat mapping of form fields").
			WithHint("write \"body: {name: value}\"")
	}
	return out
}
