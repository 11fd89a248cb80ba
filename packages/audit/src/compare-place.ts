/** A task's place in the queue and with retention, compared with the one that its events give it. */
import type { FoldedStream } from "./compare-task-row.ts"
import { expectPlace } from "./expect-place.ts"
import { toFact } from "./finding.ts"
import { listDiffering } from "./list-differing.ts"
import type { Ledger } from "./report.ts"

export function comparePlace({ events, stream, task }: FoldedStream, { find }: Ledger): void {
  const { id, ready, retainedAt } = stream
  const place = { task: id, version: null }
  const isKnown = events.length > 0
  const { ready: due, retention } = expectPlace(task, stream)
  const expected = isKnown ? due : undefined
  if (expected === undefined) {
    if (ready !== undefined) {
      find({ kind: "ready-orphaned", ...place, expected: null, found: ready.endBy })
    }
  } else if (ready === undefined) {
    find({ kind: "ready-missing", ...place, expected: expected.endBy, found: null })
  } else {
    for (const field of listDiffering(expected, ready)) {
      const facts = { expected: toFact(expected[field]), found: toFact(ready[field]) }
      find({ kind: "ready-differs", ...place, field, ...facts })
    }
  }
  if (retainedAt === undefined) {
    if (isKnown && retention === "must") {
      find({ kind: "retention-missing", ...place, expected: "a moment", found: null })
    }
  } else if (!isKnown || retention === "none") {
    find({ kind: "retention-orphaned", ...place, expected: null, found: retainedAt })
  }
}
