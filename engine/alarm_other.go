//go:build !linux

package engine

// newFineAlarm returns nil: only Linux has a timer that the poller can wait on.
func newFineAlarm() alarm { return nil }
