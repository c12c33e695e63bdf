// Package report draws a report about a cluster: one HTML page that needs nothing else, no network either.
package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"

	"github.com/accelfit/accelfit/examples/whatif/internal/answer"
)

//go:embed page.html
var pageText string

//go:embed style.css
var styleText string

//go:embed script.js
var scriptText string

// page is what the template is filled with.
type page struct {
	Title    string
	Style    template.CSS
	Script   template.JS
	Hash     string // of Script: the page runs no other
	Facts    []fact
	Problems []trouble
	Pending  []answer.Pending
	Options  []option
	Charts   []chart
	Report   *answer.Report
	Data     data
}

// Write writes the page. Its bytes depend on the report and the title only.
func Write(w io.Writer, r *answer.Report, title string) error {
	t, err := template.New("page").Funcs(template.FuncMap{"count": count, "ask": ask}).Parse(pageText)
	if err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(scriptText))
	return t.Execute(w, &page{
		Title: title, Style: template.CSS(styleText), Script: template.JS(scriptText),
		Hash:  base64.StdEncoding.EncodeToString(sum[:]),
		Facts: facts(r), Problems: troubles(r.Problems), Pending: pending(r), Options: options(r), Charts: charts(r.Fragmentation),
		Report: r, Data: pack(r),
	})
}
