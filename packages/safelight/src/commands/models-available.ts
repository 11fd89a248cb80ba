/** `safelight models available`: the bundled catalogue, which no service and no network is asked for. */
import type { CatalogueModel } from "@safelight/catalogue"
import { defineCommand } from "../command-line/define-command.ts"
import { flag, option } from "../command-line/parameters.ts"
import { printResult } from "../command-line/print-result.ts"
import { refused } from "../errors/command-error.ts"
import { formatCatalogue, toCatalogueRecord } from "../text/catalogue-text.ts"

export const command = defineCommand({
  name: "models available",
  description: "list well-known models, who makes them and at which list price",
  options: {
    kind: option("<kind>", "what they make: image, video, audio, text or 3d"),
    provider: option("<type>", "who makes them, such as fal"),
    json: flag("print a list of objects"),
  },
  async run({ options, context }) {
    const { listCatalogue } = await import("@safelight/catalogue")
    const all = await listCatalogue()
    const shown = all.filter(({ file }) => fits(options, file))
    if (shown.length === 0) throw refused(toNothing(options, all))
    printResult(options, context, shown.map(toCatalogueRecord), () => formatCatalogue(shown))
  },
})

interface Choice {
  readonly kind?: string
  readonly provider?: string
}

function fits({ kind, provider }: Choice, { outputs, providers }: CatalogueModel["file"]): boolean {
  return (
    (kind === undefined || Object.hasOwn(outputs, kind)) &&
    (provider === undefined || Object.hasOwn(providers, provider))
  )
}

/** Names what there is, since a mistyped word finds as little as a rare one. */
function toNothing(choice: Choice, all: readonly CatalogueModel[]): string {
  const kinds = new Set(all.flatMap(({ file }) => Object.keys(file.outputs)))
  const providers = new Set(all.flatMap(({ file }) => Object.keys(file.providers)))
  const asked = [choice.kind, choice.provider].filter((each) => each !== undefined).join(", ")
  return `no model of the catalogue is of ${asked}; there are ${[...kinds].toSorted().join(", ")} by ${[...providers].toSorted().join(", ")}`
}
