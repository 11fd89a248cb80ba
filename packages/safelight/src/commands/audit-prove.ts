/** `safelight audit prove`: the proof that a task's events are in the signed log, as a document for a stranger. */
import { DiffersError, orUntold } from "../audits/audit-outcome.ts"
import { DATA_OPTIONS, loadDataConfiguration } from "../command-line/data-options.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { argument } from "../command-line/parameters.ts"
import { refused } from "../errors/command-error.ts"

export const command = defineCommand({
  name: "audit prove",
  description: "prove that a task's events are in the signed log, as JSON",
  arguments: { task: argument("the task's id") },
  options: DATA_OPTIONS,
  run: ({ arguments: { task }, options, context }) =>
    orUntold(async () => {
      const { isRefusal } = await import("@safelight/proof")
      const { withData } = await import("../data/open-data.ts")
      const { openProof } = await import("../proofs/open-document.ts")
      const { createServiceProofs } = await import("../proofs/service-proofs.ts")
      const { toLogKeys } = await import("../proofs/log-keys.ts")
      const configuration = await loadDataConfiguration(options, context)
      const { keys } = toLogKeys(configuration.checkpoints) ?? {}
      if (keys === undefined) {
        throw refused("no key of the log is configured: SAFELIGHT_SIGNING_KEY, or checkpoints.keys")
      }
      const request = { configuration, mayCreate: false, purpose: "read" } as const
      const proof = await withData(request, async (storage) => {
        const found = await createServiceProofs(
          storage,
          configuration.checkpoints,
        ).proofs?.proveTask(task, "operator")
        if (found !== undefined) return found
        const isTask = (await storage.readEvents(task)).length > 0
        throw refused(
          isTask
            ? "no signed checkpoint has the task yet: `safelight audit checkpoint` signs one"
            : "there is no task with this id",
        )
      })
      // Tiles that were altered make a proof that proves nothing.
      const opened = await openProof(proof, keys)
      if (isRefusal(opened)) {
        throw new DiffersError(`the database does not prove it: ${opened.reason}`)
      }
      context.print(`${JSON.stringify(proof, undefined, 2)}\n`)
    }),
})
