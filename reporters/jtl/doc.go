// Package jtl writes kpi.jtl: one CSV row per sample in JMeter's default columns, for tools that
// read that. It is fed in batches from a goroutine of its own and never from a virtual user's.
package jtl
