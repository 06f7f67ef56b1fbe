package extract

// Response is one received response, as extractors and checks see it. The byte slices belong to
// the engine and are only valid until the next Reset. It is not safe for concurrent use.
type Response struct {
	Status      int
	Head        []byte // status line and header lines as received, decoded bodies notwithstanding
	Body        []byte // after content decoding
	URL         string // of the request that was answered last
	RequestHead []byte // request line and header lines as sent

	trees trees
}

type trees struct{}

// Reset empties the response for the next exchange.
func (r *Response) Reset() { *r = Response{} }
