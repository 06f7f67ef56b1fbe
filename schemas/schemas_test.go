package schemas

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

func TestSchemaCompiles(t *testing.T) {
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	c.LoadURL = func(url string) (io.ReadCloser, error) { return nil, errors.New("nothing is loaded: " + url) }
	if err := c.AddResource("stacrun.schema.json", strings.NewReader(string(JSON))); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Compile("stacrun.schema.json"); err != nil {
		t.Fatal(err)
	}
}

// TestEveryKeyIsDescribed keeps editors helpful: each key has a description, and each block that
// names its keys forbids others or says that they are only warned about.
func TestEveryKeyIsDescribed(t *testing.T) {
	var schema map[string]any
	if err := json.Unmarshal(JSON, &schema); err != nil {
		t.Fatal(err)
	}
	var walk func(path string, value any)
	walk = func(path string, value any) {
		switch value := value.(type) {
		case map[string]any:
			properties, ok := value["properties"].(map[string]any)
			if _, isSchema := value["type"]; ok && isSchema {
				for key, p := range properties {
					if text, _ := p.(map[string]any)["description"].(string); !strings.HasSuffix(text, ".") {
						t.Errorf("%s: key %q has no description", path, key)
					}
				}
				if value["additionalProperties"] == nil {
					t.Errorf("%s: says nothing about unknown keys", path)
				}
				if value["additionalProperties"] == true && value["x-unknown"] == nil {
					t.Errorf("%s: ignores unknown keys", path)
				}
			}
			for key, child := range value {
				walk(path+"/"+key, child)
			}
		case []any:
			for _, child := range value {
				walk(path, child)
			}
		}
	}
	walk("#", schema)
}
