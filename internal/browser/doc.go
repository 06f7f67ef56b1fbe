// Package browser opens pages in Chromium for tests: a page that notes what it asked for and what went wrong in it, with the few things
// that a test does to one. A test that needs it is skipped where Chromium is missing, and fails there when STACRUN_REQUIRE_TOOLS=1.
//
// It is for tests only and knows none of the pages.
package browser
