package config

// The second half of the pipeline: against the schema, into long forms, into a [File].

func (l *loader) validate()  {}
func (l *loader) normalise() {}
func (l *loader) decode()    {}
