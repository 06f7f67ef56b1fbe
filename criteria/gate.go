package criteria

import (
	"fmt"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/metrics"
)

// DefaultGate is the verdict on a run without any criterion: it fails when at least one request
// finished and every one of them failed. The second result tells whether it fails; add the verdict
// to the outcome only then.
func DefaultGate(snap *metrics.Snapshot) (Verdict, bool) {
	total := snap.Total()
	if total.Finished == 0 || total.Failed < total.Finished {
		return Verdict{}, false
	}
	const sentence = "fail=100%"
	return Verdict{
		Rule: config.Criterion{
			Text: sentence, Message: "every request failed", Subject: "fail", Condition: "=", Threshold: 100, Percent: true, Fail: true,
		},
		Text: sentence, Result: Failed, Fails: true,
		Observed: fmt.Sprintf("100%% (%d of %d)", total.Failed, total.Finished), Limit: "< 100%",
		ObservedValue: 100,
	}, true
}

// FunctionalGate is the rule of a functional run: every test passes. It gives the verdict, and whether it fails.
func FunctionalGate(snap *metrics.Snapshot) (Verdict, bool) {
	total := snap.Total()
	if total.Failed == 0 {
		return Verdict{}, false
	}
	const sentence = "fail>0"
	return Verdict{
		Rule: config.Criterion{Text: sentence, Message: "a functional test failed", Subject: "fail", Condition: ">", Fail: true},
		Text: sentence, Result: Failed, Fails: true,
		Observed: fmt.Sprintf("%d of %d", total.Failed, total.Finished), Limit: "<= 0", ObservedValue: float64(total.Failed),
	}, true
}
