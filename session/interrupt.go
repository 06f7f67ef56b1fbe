package session

import (
	"context"
	"errors"
	"sync"
)

// watchInterrupts turns interruptions into contexts: the first one cancels gentle, the second one
// hard as well. context.Cause(gentle) is the reason as an [interruption]. release must be called; reasons are not read after it.
func watchInterrupts(ctx context.Context, reasons <-chan string) (gentle, hard context.Context, release func()) {
	hard, cancelHard := context.WithCancel(ctx)
	gentle, cancelGentle := context.WithCancelCause(hard)
	var watching sync.WaitGroup
	watching.Go(func() {
		select {
		case <-hard.Done():
			return
		case reason := <-reasons:
			cancelGentle(interruption(reason))
		}
		select {
		case <-hard.Done():
		case <-reasons:
			cancelHard()
		}
	})
	return gentle, hard, func() { cancelGentle(nil); cancelHard(); watching.Wait() }
}

// interruption is why a run was stopped from outside.
type interruption string

// Error gives the reason.
func (i interruption) Error() string { return string(i) }

// interrupted returns the reason for which gentle was cancelled, and whether it was. A cancelled
// parent counts, so that a caller who gives up gets the same outcome as a signal.
func interrupted(gentle context.Context) (string, bool) {
	if gentle.Err() == nil {
		return "", false
	}
	var reason interruption
	if errors.As(context.Cause(gentle), &reason) {
		return string(reason), true
	}
	return "cancelled", true
}

// lastly is for stages behind the load, which must take place also after an interruption: it ends after a time of its own, or when somebody
// interrupts at once while the stage goes on. What was interrupted at once before that is cleaned up all the same.
func lastly(hard context.Context) (ctx context.Context, release func()) {
	ctx, cancel := context.WithTimeout(context.Background(), shutdownLimit)
	if hard.Err() != nil {
		return ctx, cancel
	}
	unwatch := context.AfterFunc(hard, cancel)
	return ctx, func() { unwatch(); cancel() }
}
