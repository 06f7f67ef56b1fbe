package config

// modules reads the entries of `reporting` or `services`.
func (d *decoder) modules(key string) []Module {
	var out []Module
	for _, item := range d.root(key).mappings() {
		name := item.get("module")
		if !name.scalar() {
			continue
		}
		options := &Node{Kind: Mapping, Pos: item.Pos}
		for _, e := range item.Node.Entries {
			if e.Key != "module" && e.Key != "run-at" && e.Value.Kind != Null {
				options.Entries = append(options.Entries, e)
			}
		}
		pos := name.Pos
		if !pos.Known() {
			pos = item.Pos
		}
		out = append(out, Module{Name: name.Text, Options: options, Pos: pos, Path: item.path})
	}
	return out
}
