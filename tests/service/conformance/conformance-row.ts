/**
 * What the conformance table is made of. A row is one thing that a document promises, in our own
 * short words; each of its tests has to pass for the row to hold, which a whole run checks.
 */
import type { TestReference } from "../../support/passed-tests.ts"

export interface ConformanceRow {
  /** Markdown, on one line. */
  readonly row: string
  /** At least one. */
  readonly tests: readonly TestReference[]
}

export interface ConformanceSection {
  /** `Extensions` are what the README of the HTTP adapter promises beyond both documents. */
  readonly document: "Specification" | "HTTP decisions" | "Extensions"
  /** As the document counts: `§2.4`. */
  readonly section: string
  readonly title: string
  readonly rows: readonly ConformanceRow[]
}
