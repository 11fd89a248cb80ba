/** `safelight audit checkpoint`: signs the tree over everything that was committed. A service may be running. */
import { DiffersError, orUntold } from "../audits/audit-outcome.ts"
import type { CommandContext } from "../command-line/command-context.ts"
import {
  DATA_OPTIONS,
  loadDataConfiguration,
  type DataOptions,
} from "../command-line/data-options.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { flag } from "../command-line/parameters.ts"
import { printResult, type JsonOption } from "../command-line/print-result.ts"
import { refused } from "../errors/command-error.ts"

export const command = defineCommand({
  name: "audit checkpoint",
  description: "sign the log as it stands, with the key of SAFELIGHT_SIGNING_KEY",
  options: { json: flag('print {"size","at","note"}'), ...DATA_OPTIONS },
  run: ({ options, context }) => orUntold(() => sign(options, context)),
})

async function sign(options: DataOptions & JsonOption, context: CommandContext): Promise<void> {
  const { isRefusal } = await import("@safelight/proof")
  const { withData } = await import("../data/open-data.ts")
  const { createKeeper } = await import("../proofs/service-proofs.ts")
  const configuration = await loadDataConfiguration(options, context)
  const kept = await withData({ configuration, mayCreate: false }, async (storage) => {
    const keeper = await createKeeper(storage, configuration)
    if (keeper === undefined) {
      throw refused(
        "no key is there to sign with: `safelight audit keys create` makes one, SAFELIGHT_SIGNING_KEY_FILE names it",
      )
    }
    return keeper.keep(Date.now())
  })
  if (isRefusal(kept)) {
    throw new DiffersError(`nothing was signed: ${kept.reason}`)
  }
  printResult(options, context, kept.checkpoint, () => kept.checkpoint.note)
  const [failure] = kept.failures
  if (failure === undefined) return
  const message = `the checkpoint was signed, and could not be copied to ${failure.copy}`
  throw refused(message, failure.error)
}
