/** `safelight audit consistency`: that the log of a later checkpoint is that of an earlier one, and more. */
import { DiffersError, orUntold } from "../audits/audit-outcome.ts"
import type { CommandContext } from "../command-line/command-context.ts"
import {
  DATA_OPTIONS,
  loadDataConfiguration,
  type DataOptions,
} from "../command-line/data-options.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { argument, flag, option } from "../command-line/parameters.ts"
import { printResult, type JsonOption } from "../command-line/print-result.ts"
import { refused } from "../errors/command-error.ts"

export const command = defineCommand({
  name: "audit consistency",
  description: "prove that the log of one checkpoint extends that of an earlier one",
  arguments: {
    earlier: argument("a file with the earlier checkpoint"),
    later: argument("a file with the later checkpoint"),
  },
  options: {
    key: option("<key>", "the log's public key, or a file with it (default: as configured)"),
    json: flag('print {"earlier_size","later_size","proof"}'),
    ...DATA_OPTIONS,
  },
  run: ({ arguments: files, options, context }) => orUntold(() => prove(files, options, context)),
})

async function prove(
  files: { readonly earlier: string; readonly later: string },
  options: DataOptions & JsonOption & { readonly key?: string },
  context: CommandContext,
): Promise<void> {
  const { createTreeSource, proveConsistency, toBase64, verifyConsistency } =
    await import("@safelight/proof")
  const { withData } = await import("../data/open-data.ts")
  const { readCheckpoint, readKeys } = await import("../proofs/open-document.ts")
  const { tree } = await import("../proofs/service-proofs.ts")
  const configuration = await loadDataConfiguration(options, context)
  const keys = await readKeys(options.key, configuration, context)
  const from = await readCheckpoint(files.earlier, keys, context)
  const to = await readCheckpoint(files.later, keys, context)
  if (from.size > to.size) {
    throw refused(`${files.earlier} has ${from.size} events and ${files.later} only ${to.size}`)
  }
  const request = { configuration, mayCreate: false, purpose: "read" } as const
  const proof = await withData(request, async (storage) => {
    const { size = 0 } = (await storage.readTree()) ?? {}
    if (size < to.size) return undefined
    return proveConsistency(createTreeSource(storage, { size: to.size, tree }), from.size)
  })
  const claim = {
    firstSize: from.size,
    firstRoot: from.root,
    secondSize: to.size,
    secondRoot: to.root,
  }
  if (proof === undefined || !verifyConsistency(tree, { ...claim, proof })) {
    throw new DiffersError("the database does not prove that the later log extends the earlier one")
  }
  const record = {
    earlier_size: from.size,
    later_size: to.size,
    proof: proof.map(toBase64),
  }
  printResult(
    options,
    context,
    record,
    () => `the log of ${to.size} events extends that of ${from.size}\n`,
  )
}
