//go:build !unix

package engine

func descriptorLimit() (int64, bool) { return 0, false }

func ephemeralPorts() (int64, bool) { return 0, false }
