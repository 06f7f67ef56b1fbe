package template

import (
	"fmt"
	"os"

	"golang.org/x/text/encoding/htmlindex"

	"github.com/stacrun/stacrun/internal/input"
)

// propertyFunctions are known while the plan is compiled.
var propertyFunctions = []jmeter{
	{
		name: "__P", params: "name[,default]", min: 1, max: 2,
		doc:     "a property of modules.jmeter.properties or of the scenario; 1 when there is neither it nor a default",
		example: "${__P(host,localhost)}",
		fold: func(c *Compiler, args []string) (string, error) {
			if v, ok := c.Properties[args[0]]; ok {
				return v, nil
			}
			if len(args) > 1 {
				return args[1], nil
			}
			return "1", nil
		},
	},
	{
		name: "__property", params: "name[,variable][,default]", min: 1, max: 3, variable: 1,
		doc:     "a property of modules.jmeter.properties or of the scenario; its own name when there is neither it nor a default",
		example: "${__property(host,,localhost)}",
		fold: func(c *Compiler, args []string) (string, error) {
			if v, ok := c.Properties[args[0]]; ok {
				return v, nil
			}
			if len(args) > 1 && args[1] != "" {
				return args[1], nil
			}
			return args[0], nil
		},
	},
	{
		name: "__env", params: "name[,variable][,default]", min: 1, max: 3, variable: 1,
		doc:     "a variable of the environment; it is an error when there is neither it nor a default",
		example: "${__env(TOKEN)}",
		fold: func(c *Compiler, args []string) (string, error) {
			getenv := c.Getenv
			if getenv == nil {
				getenv = os.LookupEnv
			}
			if v, ok := getenv(args[0]); ok {
				return v, nil
			}
			if len(args) > 1 {
				return args[1], nil
			}
			return "", fmt.Errorf("the environment variable %q is not set", args[0])
		},
	},
	{
		name: "__FileToString", params: "file[,encoding][,variable]", min: 1, max: 3, variable: 2,
		doc:     "the content of a file, read once before the run",
		example: "${__FileToString(body.json)}",
		fold: func(c *Compiler, args []string) (string, error) {
			read := c.ReadFile
			if read == nil {
				read = func(name string) ([]byte, error) { return input.File(name, input.MaxContent) }
			}
			content, err := read(args[0])
			if err != nil {
				return "", err
			}
			if len(args) < 2 || args[1] == "" {
				return string(content), nil
			}
			encoding, err := htmlindex.Get(args[1])
			if err != nil {
				return "", fmt.Errorf("unknown encoding %q", args[1])
			}
			content, err = encoding.NewDecoder().Bytes(content)
			return string(content), err
		},
	},
}
