// Package walls holds the floor plan of the house as text and a test that fails when an import crosses a wall.
package walls
