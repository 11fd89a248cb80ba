/** One task's chain by itself, for whoever looks at one task; `verify` of an audit walks them all. */
import type { Digest, StoredEvent } from "@safelight/core"
import type { Finding } from "./finding.ts"
import { createLedger } from "./report.ts"
import { verifyStream } from "./verify-stream.ts"

/** More are told of nobody's log: the first says that something is wrong. */
const KEPT_FINDINGS = 20

/** What is wrong with a task's events; nothing where the chain is whole. */
export function verifyTask(
  task: { readonly id: string; readonly events: readonly StoredEvent[] },
  digest: Digest,
): readonly Finding[] {
  const ledger = createLedger(KEPT_FINDINGS)
  const rows = { row: undefined, artifacts: [], charge: undefined, outcomes: [] }
  verifyStream({ ...task, ...rows }, digest, ledger)
  return ledger.toReport().findings
}
