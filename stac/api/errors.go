package api

import (
	"errors"
	"fmt"
	"net/http"
)

// Error is an answer other than success: Status is the HTTP status, Code a stable name.
type Error struct {
	Status      int
	Code        string
	Description string
}

// Error gives the description.
func (e *Error) Error() string { return e.Description }

func badRequest(format string, args ...any) *Error {
	return &Error{http.StatusBadRequest, "BadRequest", fmt.Sprintf(format, args...)}
}

func badParameter(format string, args ...any) *Error {
	return &Error{http.StatusBadRequest, "InvalidQueryParameter", fmt.Sprintf(format, args...)}
}

func notFound(format string, args ...any) *Error {
	return &Error{http.StatusNotFound, "NotFoundError", fmt.Sprintf(format, args...)}
}

func conflict(format string, args ...any) *Error {
	return &Error{http.StatusConflict, "ConflictError", fmt.Sprintf(format, args...)}
}

func noCollection(id string) *Error { return notFound("collection %q does not exist", id) }

func noItem(collection, id string) *Error {
	return notFound("item %q does not exist in collection %q", id, collection)
}

// asError turns any error into an answer; what is not an [Error] is a fault of the server.
func asError(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{http.StatusInternalServerError, "InternalError", err.Error()}
}
