// Command bench measures what load costs the generator, beside its peers, on this machine.
//
//	go run ./bench                   whole-process CPU per request of stacrun and of each peer found on PATH
//	go run ./bench users             memory with 10,000 users against a server that answers after 200 ms
//	go run ./bench console           what the live console costs a run
//	go run ./bench truth             what stacrun says held against what servers know of the same requests
//	go run ./bench soak              memory and counts of a run of ten million requests
//	go run ./bench growth            what a request costs in a longer run, under more labels, with more rows of data
//	go run ./bench -json out.json    the same figures for later comparison
//
// It builds stacrun, starts nginx (if installed) and a server of its own on loopback, and runs the tools in interleaved
// rounds with equal work. Requests are counted by the server, CPU and memory come from the finished process, and what is
// compared are ratios within a round: absolute figures of a shared machine do not hold still. What a tool spends on
// starting and ending is measured by a run with one request per user, shown apart, and taken off.
// bench knows the product by its command line only.
package main
