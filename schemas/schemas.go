package schemas

import _ "embed"

// JSON is stacrun.schema.json.
//
//go:embed stacrun.schema.json
var JSON []byte
