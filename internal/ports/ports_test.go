package ports

import (
	"errors"
	"net"
	"syscall"
	"testing"
)

func TestNobodyListensAtADeadAddress(t *testing.T) {
	if _, err := net.Dial("tcp", Dead(t)); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("error %v, want that the connection is refused", err)
	}
}

func TestFreeAddressesAreTakenOnce(t *testing.T) {
	taken := map[string]bool{}
	for range 200 {
		l, err := net.Listen("tcp", Free(t))
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if taken[l.Addr().String()] {
			t.Fatal("given twice: " + l.Addr().String())
		}
		taken[l.Addr().String()] = true
	}
}
