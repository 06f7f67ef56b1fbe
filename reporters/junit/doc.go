// Package junit writes a JUnit XML file that CI systems (GitHub, GitLab, Jenkins) show as tests:
// one case per label, or one per criterion.
package junit
