package api

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// SQLite is a [Store] in one file. The file narrows a search by collection, id, time and box; the rest
// of the conditions are tested here, on items read in order.
type SQLite struct {
	db    *sql.DB
	write sync.Mutex // one writer at a time, so that none waits for a lock of the file
}

var _ Store = (*SQLite)(nil)

const schema = `
CREATE TABLE IF NOT EXISTS collections (id TEXT PRIMARY KEY, doc BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS items (
	row INTEGER PRIMARY KEY, collection TEXT NOT NULL, id TEXT NOT NULL,
	datetime INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, doc BLOB NOT NULL,
	UNIQUE (collection, id));
CREATE INDEX IF NOT EXISTS items_order ON items (collection, datetime DESC, id DESC);
CREATE INDEX IF NOT EXISTS items_id ON items (id);
CREATE VIRTUAL TABLE IF NOT EXISTS boxes USING rtree (row, west, east, south, north);
PRAGMA user_version = 1;`

// OpenSQLite opens or makes the file.
func OpenSQLite(ctx context.Context, name string) (*SQLite, error) {
	options := url.Values{"_pragma": {"journal_mode(WAL)", "busy_timeout(10000)", "synchronous(NORMAL)"}}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: name}).EscapedPath(), RawQuery: options.Encode()}).String())
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	var version int
	err = db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version)
	if err == nil && version > 1 {
		err = fmt.Errorf("it was written by a newer version (format %d, known is 1)", version)
	}
	if err == nil {
		_, err = db.ExecContext(ctx, schema)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", name, err), db.Close())
	}
	return &SQLite{db: db}, nil
}

// Close closes the file.
func (q *SQLite) Close() error { return q.db.Close() }

// Collections implements [Store].
func (q *SQLite) Collections(ctx context.Context) (list []*Collection, err error) {
	rows, err := q.db.QueryContext(ctx, "SELECT doc FROM collections ORDER BY id")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	list = []*Collection{}
	for rows.Next() {
		var doc []byte
		if err := rows.Scan(&doc); err != nil {
			return nil, err
		}
		c, err := ParseCollection(doc)
		if err != nil {
			return nil, fmt.Errorf("stored collection: %s", err)
		}
		list = append(list, c)
	}
	return list, rows.Err()
}

// Collection implements [Store].
func (q *SQLite) Collection(ctx context.Context, id string) (*Collection, error) {
	var doc []byte
	err := q.db.QueryRowContext(ctx, "SELECT doc FROM collections WHERE id = ?", id).Scan(&doc)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, noCollection(id)
	}
	if err != nil {
		return nil, err
	}
	return ParseCollection(doc)
}

// transact runs do as the only writer and keeps what it did unless it fails.
func (q *SQLite) transact(ctx context.Context, do func(*sql.Tx) error) (err error) {
	q.write.Lock()
	defer q.write.Unlock()
	tx, err := q.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

func exists(ctx context.Context, tx *sql.Tx, query string, args ...any) (bool, error) {
	var one int
	err := tx.QueryRowContext(ctx, query, args...).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// PutCollection implements [Store].
func (q *SQLite) PutCollection(ctx context.Context, c *Collection, mode Mode) error {
	return q.transact(ctx, func(tx *sql.Tx) error {
		found, err := exists(ctx, tx, "SELECT 1 FROM collections WHERE id = ?", c.ID)
		switch {
		case err != nil:
			return err
		case found && mode == Create:
			return conflict("collection %q already exists", c.ID)
		case !found && mode == Replace:
			return noCollection(c.ID)
		}
		_, err = tx.ExecContext(ctx, "INSERT OR REPLACE INTO collections (id, doc) VALUES (?, ?)", c.ID, c.Text())
		return err
	})
}

// DeleteCollection implements [Store].
func (q *SQLite) DeleteCollection(ctx context.Context, id string) error {
	return q.transact(ctx, func(tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, "DELETE FROM collections WHERE id = ?", id)
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, noCollection(id))
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM boxes WHERE row IN (SELECT row FROM items WHERE collection = ?)", id); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "DELETE FROM items WHERE collection = ?", id)
		return err
	})
}

// Item implements [Store].
func (q *SQLite) Item(ctx context.Context, collection, id string) (*Item, error) {
	var doc []byte
	err := q.db.QueryRowContext(ctx, "SELECT doc FROM items WHERE collection = ? AND id = ?", collection, id).Scan(&doc)
	if errors.Is(err, sql.ErrNoRows) {
		if _, err := q.Collection(ctx, collection); err != nil {
			return nil, err
		}
		return nil, noItem(collection, id)
	}
	if err != nil {
		return nil, err
	}
	return ParseItem(doc, collection)
}

// PutItems implements [Store].
func (q *SQLite) PutItems(ctx context.Context, collection string, items []*Item, mode Mode) (skipped []string, err error) {
	err = q.transact(ctx, func(tx *sql.Tx) error {
		found, err := exists(ctx, tx, "SELECT 1 FROM collections WHERE id = ?", collection)
		if err != nil || !found {
			return errors.Join(err, noCollection(collection))
		}
		written := map[string]bool{} // by this call: a later item of the same id replaces it
		for _, it := range items {
			found, err := exists(ctx, tx, "SELECT 1 FROM items WHERE collection = ? AND id = ?", collection, it.ID)
			switch {
			case err != nil:
				return err
			case found && mode == Create && !written[it.ID]:
				return conflict("item %q already exists in collection %q", it.ID, collection)
			case !found && mode == Replace:
				return noItem(collection, it.ID)
			case found && mode == CreateMissing:
				skipped = append(skipped, it.ID)
				continue
			}
			if found {
				if err := deleteItem(ctx, tx, collection, it.ID); err != nil {
					return err
				}
			}
			if err := insertItem(ctx, tx, it); err != nil {
				return err
			}
			written[it.ID] = true
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return skipped, nil
}

func insertItem(ctx context.Context, tx *sql.Tx, it *Item) error {
	result, err := tx.ExecContext(ctx, "INSERT INTO items (collection, id, datetime, first, last, doc) VALUES (?, ?, ?, ?, ?, ?)",
		it.Collection, it.ID, it.Datetime, it.Start, it.End, it.Text())
	if err != nil || !it.HasGeometry() {
		return err
	}
	row, err := result.LastInsertId()
	if err != nil {
		return err
	}
	b := it.Geometry.Box()
	// The tree keeps 32-bit numbers, rounded outwards; the exact test follows in Search.Matches.
	_, err = tx.ExecContext(ctx, "INSERT INTO boxes VALUES (?, ?, ?, ?, ?)", row, b.West, b.East, b.South, b.North)
	return err
}

func deleteItem(ctx context.Context, tx *sql.Tx, collection, id string) error {
	if _, err := tx.ExecContext(ctx,
		"DELETE FROM boxes WHERE row IN (SELECT row FROM items WHERE collection = ? AND id = ?)", collection, id); err != nil {
		return err
	}
	result, err := tx.ExecContext(ctx, "DELETE FROM items WHERE collection = ? AND id = ?", collection, id)
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, noItem(collection, id))
	}
	return nil
}

// DeleteItem implements [Store].
func (q *SQLite) DeleteItem(ctx context.Context, collection, id string) error {
	if _, err := q.Collection(ctx, collection); err != nil {
		return err
	}
	return q.transact(ctx, func(tx *sql.Tx) error { return deleteItem(ctx, tx, collection, id) })
}

// Count implements [Store].
func (q *SQLite) Count(ctx context.Context, collection string) (n int, err error) {
	if _, err := q.Collection(ctx, collection); err != nil {
		return 0, err
	}
	err = q.db.QueryRowContext(ctx, "SELECT count(*) FROM items WHERE collection = ?", collection).Scan(&n)
	return n, err
}

// sqliteCountBudget is [countBudget] for a store that has to read and parse what it counts.
const sqliteCountBudget = 200

// Search implements [Store].
func (q *SQLite) Search(ctx context.Context, s *Search) (page Page, err error) {
	where, args := narrow(s)
	exact := s.filter == nil && s.area == nil // the file itself knows all hits
	matched := -1
	var candidates int
	count := "SELECT count(*) FROM (SELECT 1 FROM items" + where
	if !exact {
		count += fmt.Sprintf(" LIMIT %d", sqliteCountBudget+1)
	}
	if err := q.db.QueryRowContext(ctx, count+")", args...).Scan(&candidates); err != nil {
		return Page{}, err
	}
	if exact {
		matched = candidates
	}
	counting := !exact && candidates <= sqliteCountBudget
	if s.after != nil && s.standard && !counting {
		where += conjunction(where) + "(datetime, id, collection) < (?, ?, ?)"
		args = append(args, s.after[0].time, s.after[1].text, s.after[2].text)
	}
	rows, err := q.db.QueryContext(ctx, "SELECT collection, doc FROM items"+where+" ORDER BY datetime DESC, id DESC, collection DESC", args...)
	if err != nil {
		return Page{}, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	c := &collector{search: s}
	for rows.Next() {
		var collection string
		var doc sql.RawBytes
		if err := rows.Scan(&collection, &doc); err != nil {
			return Page{}, err
		}
		it, err := ParseItem(doc, collection)
		if err != nil {
			return Page{}, fmt.Errorf("stored item: %s", err)
		}
		if !s.Matches(it) {
			continue
		}
		c.add(it)
		if c.full() && s.standard && !counting {
			break
		}
	}
	if err := rows.Err(); err != nil {
		return Page{}, err
	}
	if counting || !exact && !s.standard || !exact && s.after == nil && !c.full() {
		matched = c.seen
	}
	return c.page(matched), nil
}

func conjunction(where string) string {
	if where == "" {
		return " WHERE "
	}
	return " AND "
}

// narrow turns what the file can decide into a condition.
func narrow(s *Search) (where string, args []any) {
	add := func(condition string, values ...any) {
		where += conjunction(where) + condition
		args = append(args, values...)
	}
	list := func(column string, values []string) {
		if len(values) == 0 {
			return
		}
		marks := strings.TrimSuffix(strings.Repeat("?, ", len(values)), ", ")
		list := make([]any, len(values))
		for i, v := range values {
			list[i] = v
		}
		add(column+" IN ("+marks+")", list...)
	}
	list("collection", s.Collections)
	list("id", s.IDs)
	if s.Time != nil {
		add("first <= ? AND last >= ?", s.Time.To, s.Time.From)
	}
	if s.area != nil {
		parts := s.area.Box().Parts()
		conditions := make([]string, len(parts))
		var values []any
		for i, b := range parts {
			conditions[i] = "west <= ? AND east >= ? AND south <= ? AND north >= ?"
			values = append(values, b.East, b.West, b.North, b.South)
		}
		add("row IN (SELECT row FROM boxes WHERE "+strings.Join(conditions, " OR ")+")", values...)
	}
	return where, args
}
