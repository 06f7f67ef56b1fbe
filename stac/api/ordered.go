package api

import (
	"iter"
	"slices"
)

// blockSize bounds a block of an [ordered] list; a full one is split in two.
const blockSize = 512

// ordered is a list of items of one collection in the default order, in blocks, so that an insertion
// moves few pointers however long the list is.
type ordered struct {
	blocks [][]*Item // none is empty
	count  int
}

// find returns the block and the index at which the item is, or would stand.
func (o *ordered) find(it *Item) (block, index int, found bool) {
	block, _ = slices.BinarySearchFunc(o.blocks, it, func(b []*Item, it *Item) int {
		return compareDefault(b[len(b)-1], it)
	})
	if block == len(o.blocks) {
		return block, 0, false
	}
	index, found = slices.BinarySearchFunc(o.blocks[block], it, compareDefault)
	return block, index, found
}

// insert adds an item that is not in the list.
func (o *ordered) insert(it *Item) {
	o.count++
	if len(o.blocks) == 0 {
		o.blocks = [][]*Item{{it}}
		return
	}
	block, index, _ := o.find(it)
	if block == len(o.blocks) {
		block--
		index = len(o.blocks[block])
	}
	b := slices.Insert(o.blocks[block], index, it)
	o.blocks[block] = b
	if len(b) > blockSize {
		half := slices.Clone(b[len(b)/2:])
		o.blocks[block] = b[:len(b)/2]
		o.blocks = slices.Insert(o.blocks, block+1, half)
	}
}

// remove takes out an item that is in the list.
func (o *ordered) remove(it *Item) {
	block, index, found := o.find(it)
	if !found {
		return
	}
	o.count--
	o.blocks[block] = slices.Delete(o.blocks[block], index, index+1)
	if len(o.blocks[block]) == 0 {
		o.blocks = slices.Delete(o.blocks, block, block+1)
	}
}

// from yields the items in order, beginning behind an imaginary one.
func (o *ordered) from(start *Item) iter.Seq[*Item] {
	return func(yield func(*Item) bool) {
		block, index := 0, 0
		if start != nil {
			block, index, _ = o.find(start)
		}
		for ; block < len(o.blocks); block++ {
			for _, it := range o.blocks[block][index:] {
				if !yield(it) {
					return
				}
			}
			index = 0
		}
	}
}
