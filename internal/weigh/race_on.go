//go:build race

package weigh

const raceDetector = true
