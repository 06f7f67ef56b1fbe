package metrics

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/klauspost/compress/zstd"
)

// A frame is how one interval stands in a log and travels on the network:
//
//	mark      1 byte, 0xA5
//	length    4 bytes, little endian: of flags and payload
//	check     2 bytes: low half of the CRC-32C of the five bytes before
//	flags     1 byte
//	payload
//	checksum  4 bytes: CRC-32C of flags and payload
const (
	frameMark       = 0xA5
	frameHead       = 7
	frameTail       = 4
	frameHeader     = 1 << 0 // the payload is the JSON of a log's header, not an interval
	frameCompressed = 1 << 1 // the payload is compressed by zstd
	maxFrame        = 64 << 20
	compressFrom    = 256 // bytes; smaller payloads gain nothing
)

// errTorn means that the bytes end before the frame does.
var errTorn = errors.New("interval is cut off")

// Codec turns intervals into frames and back. It is for one goroutine; Close it when done.
type Codec struct {
	compressor   *zstd.Encoder
	decompressor *zstd.Decoder
	payload      []byte
}

// NewCodec returns a codec. Its compressor is made when first needed.
func NewCodec() *Codec { return &Codec{} }

// Close lets go of the compressor's memory.
func (c *Codec) Close() {
	if c.compressor != nil {
		_ = c.compressor.Close() // nothing is buffered
		c.compressor = nil
	}
	if c.decompressor != nil {
		c.decompressor.Close()
		c.decompressor = nil
	}
}

// Append appends the interval's frame to dst.
func (c *Codec) Append(dst []byte, iv *Interval) ([]byte, error) {
	c.payload = appendPayload(c.payload[:0], iv)
	payload, flags := c.payload, byte(0)
	if len(payload) >= compressFrom {
		if c.compressor == nil {
			var err error
			c.compressor, err = zstd.NewWriter(nil,
				zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
				zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(128<<10), zstd.WithEncoderCRC(false))
			if err != nil {
				return dst, fmt.Errorf("start compressor: %w", err)
			}
		}
		if small := c.compressor.EncodeAll(payload, nil); len(small) < len(payload) {
			payload, flags = small, frameCompressed
		}
	}
	if len(payload) >= maxFrame {
		return dst, fmt.Errorf("interval of %d bytes is too large", len(payload))
	}
	return appendFrame(dst, flags, payload), nil
}

// Decode reads the frame at the beginning of data and returns what follows it.
func (c *Codec) Decode(data []byte) (iv *Interval, rest []byte, err error) {
	flags, payload, rest, err := cutFrame(data)
	if err != nil {
		return nil, data, err
	}
	iv, err = c.interval(flags, payload)
	return iv, rest, err
}

// interval decodes the payload of a frame.
func (c *Codec) interval(flags byte, payload []byte) (*Interval, error) {
	if flags&^frameCompressed != 0 {
		return nil, errMalformed
	}
	if flags&frameCompressed == 0 {
		return decodePayload(payload)
	}
	if c.decompressor == nil {
		var err error
		c.decompressor, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxFrame), zstd.WithDecoderLowmem(true))
		if err != nil {
			return nil, fmt.Errorf("start decompressor: %w", err)
		}
	}
	var err error
	if c.payload, err = c.decompressor.DecodeAll(payload, c.payload[:0]); err != nil {
		return nil, fmt.Errorf("decompress: %w", err)
	}
	return decodePayload(c.payload)
}

func appendFrame(dst []byte, flags byte, payload []byte) []byte {
	head := len(dst)
	dst = append(dst, frameMark)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(1+len(payload)))
	dst = binary.LittleEndian.AppendUint16(dst, uint16(checksum(dst[head:])))
	body := len(dst)
	dst = append(append(dst, flags), payload...)
	return binary.LittleEndian.AppendUint32(dst, checksum(dst[body:]))
}

// frameLength returns how many bytes the frame has that begins with these.
func frameLength(head []byte) (int, error) {
	if len(head) < frameHead {
		return 0, errTorn
	}
	length := binary.LittleEndian.Uint32(head[1:])
	switch {
	case head[0] != frameMark, binary.LittleEndian.Uint16(head[5:]) != uint16(checksum(head[:5])):
		return 0, errors.New("no interval begins here")
	case length == 0 || length > maxFrame:
		return 0, fmt.Errorf("interval of %d bytes", length)
	}
	return frameHead + int(length) + frameTail, nil
}

// cutFrame takes the first frame apart.
func cutFrame(data []byte) (flags byte, payload, rest []byte, err error) {
	n, err := frameLength(data)
	if err != nil {
		return 0, nil, data, err
	}
	if len(data) < n {
		return 0, nil, data, errTorn
	}
	body := data[frameHead : n-frameTail]
	if binary.LittleEndian.Uint32(data[n-frameTail:]) != checksum(body) {
		return 0, nil, data, errors.New("interval does not match its checksum")
	}
	return body[0], body[1:], data[n:], nil
}

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }
