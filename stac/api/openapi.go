package api

import (
	_ "embed"
	"net/http"
)

//go:embed openapi.json
var openAPIText []byte

//go:embed documentation.html
var documentationText []byte

func (x *exchange) openAPI() error {
	x.write(http.StatusOK, mediaOpenAPI, openAPIText)
	return nil
}

func (x *exchange) documentation() error {
	x.write(http.StatusOK, "text/html", documentationText)
	return nil
}
