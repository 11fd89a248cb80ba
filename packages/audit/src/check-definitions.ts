/** Whether the definitions that tasks name are kept, each as its digest says. */
import type { DefinitionStorage, Digest, Task } from "@safelight/core"
import type { Ledger } from "./report.ts"

export interface DefinitionCheck {
  note(task: Pick<Task, "definition" | "id">): void
  /** Looks at those that were noted since. Rejects as the storage does. */
  examine(ledger: Pick<Ledger, "find">): Promise<void>
}

export function createDefinitionCheck(
  storage: Pick<DefinitionStorage, "findDefinition">,
  digest: Digest,
): DefinitionCheck {
  const seen = new Set<string>()
  /** The first task that names each. */
  const noted = new Map<string, string>()
  return {
    note({ definition, id }) {
      if (definition === undefined || seen.has(definition)) return
      seen.add(definition)
      noted.set(definition, id)
    },
    async examine({ find }) {
      for (const [expected, task] of noted) {
        // oxlint-disable-next-line no-await-in-loop -- there are few, and most pages name no new one
        const body = (await storage.findDefinition(expected))?.body
        const found = body === undefined ? null : digest([body])
        const place = { task, version: 1, expected, found }
        if (found === null) find({ kind: "definition-unknown", ...place })
        else if (found !== expected) find({ kind: "definition-differs", ...place })
      }
      noted.clear()
    },
  }
}
