package assert

import "testing"

// Processors without wide registers find the same.
func TestNeedleWithoutBlocks(t *testing.T) {
	defer func(was bool) { wide = was }(wide)
	wide = false
	t.Run("Needle", TestNeedle)
	t.Run("NeedleInBlocks", TestNeedleInBlocks)
}
