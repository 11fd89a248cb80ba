/**
 * `safelight models add`: copies models of the bundled catalogue into files of the operator's, to be named, priced and
 * edited. Either all of them are written or, if a name or a file is wrong, none.
 */
import { join, relative, resolve } from "node:path"
import type { CatalogueModel } from "@safelight/catalogue"
import { LONGEST_MODEL_ID, MODEL_ID, type ModelPrice } from "@safelight/core"
import type { CommandContext } from "../command-line/command-context.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { argumentList, option, optionWithDefault } from "../command-line/parameters.ts"
import { refused } from "../errors/command-error.ts"
import { findDearest, parseMargin, withMargin } from "../models/catalogue-price.ts"
import { formatCost, listCosts, toPrice } from "../text/catalogue-text.ts"
import { formatPrice } from "../text/price-words.ts"

export const command = defineCommand({
  name: "models add",
  description: "write models of the catalogue into files, to be named, priced and edited",
  arguments: { names: argumentList("names or ids in the catalogue: see models available") },
  options: {
    as: option("<id>", "the public id of the one that is added (default: the catalogue's)"),
    folder: optionWithDefault("<folder>", "where the files go", "models"),
    margin: option("<factor>", 'write a "price": the dearest list price times this, such as 1.4'),
  },
  async run({ arguments: { names }, options, context }) {
    const margin = readMargin(options.margin)
    const found = await findAll(names)
    const files = found.map((model) => toFile(model, options, { context, margin }))
    refuseDoubles(files)
    const { refuseExisting, writeModelFile } = await import("../models/write-model-file.ts")
    refuseExisting(files)
    const { PROVIDERS } = await import("@safelight/channel-http")
    const keys = new Map(Object.values(PROVIDERS).map((each) => [each.name, each.keyVariable]))
    for (const file of files) {
      await writeModelFile(file.path, file.text)
      context.print(toNews(file, keys))
    }
    context.print(toNextSteps(options.folder, files))
  },
})

interface AddedFile {
  readonly id: string
  readonly path: string
  /** As the person who typed the command sees it. */
  readonly shown: string
  readonly text: string
  readonly price: ModelPrice | undefined
  readonly model: CatalogueModel
}

async function findAll(names: readonly string[]): Promise<readonly CatalogueModel[]> {
  const { findCatalogueModel } = await import("@safelight/catalogue")
  const found = await Promise.all(names.map(findCatalogueModel))
  const missing = names.filter((_, at) => found[at] === undefined)
  if (missing.length > 0) {
    throw refused(`the catalogue has no ${missing.join(", ")}: see safelight models available`)
  }
  return found.filter((each) => each !== undefined)
}

function readMargin(text: string | undefined): bigint | undefined {
  if (text === undefined) return undefined
  const margin = parseMargin(text)
  if (margin !== undefined) return margin
  throw refused(`--margin is ${text}: expected a decimal from 1 to below 100, such as 1.4`)
}

function toFile(
  model: CatalogueModel,
  { as, folder }: { readonly as?: string; readonly folder: string },
  given: { readonly context: CommandContext; readonly margin: bigint | undefined },
): AddedFile {
  const id = as ?? model.file.id
  if (!MODEL_ID.test(id) || id.length > LONGEST_MODEL_ID) {
    throw refused(`--as is ${id}: expected an id such as acme/flux`)
  }
  const path = join(
    resolve(given.context.folder, folder),
    `${id.slice(id.lastIndexOf("/") + 1)}.json`,
  )
  const cost = findDearest(listCosts(model.file).map(([, each]) => toPrice(each)))
  const hasPrice = cost !== undefined && given.margin !== undefined
  const price = hasPrice ? withMargin(cost, given.margin) : undefined
  const { providers, sources, ...file } = model.file
  const priced = { ...file, id, ...(price !== undefined && { price }), providers, sources }
  const text = `${JSON.stringify(priced, undefined, 2)}\n`
  return { id, path, shown: relative(given.context.folder, path) || path, text, price, model }
}

function refuseDoubles(files: readonly AddedFile[]): void {
  const paths = files.map(({ path }) => path)
  const double = files.find(({ path }, at) => paths.indexOf(path) !== at)
  if (double !== undefined) {
    throw refused(`two models would be ${double.shown}: name one, and add one at a time with --as`)
  }
}

function toNews(file: AddedFile, keys: ReadonlyMap<string, string>): string {
  const makers = Object.keys(file.model.file.providers).map((type) => {
    const key = keys.get(type)
    return key === undefined ? type : `${type} (${key})`
  })
  return `${file.shown}: ${file.id}, made by ${makers.join(", ")}\n  ${toPriceNews(file)}\n`
}

function toPriceNews({ price, model }: AddedFile): string {
  if (price !== undefined) return `price: ${formatPrice(price)}`
  const costs = listCosts(model.file).map(formatCost)
  const known = costs.length === 0 ? "no list price is known" : `list price: ${costs.join("; ")}`
  return `no price yet, and a service refuses a model without one; ${known}`
}

function toNextSteps(folder: string, files: readonly AddedFile[]): string {
  const path = /^[./]/.test(folder) ? folder : `./${folder}`
  const isPriced = files.every(({ price }) => price !== undefined)
  return [
    `next: edit the files${isPriced ? "" : ', and give "price" or a price table for each'};`,
    `in the configuration: "models": [${JSON.stringify(path)}], "channels": [{ "type": "fal" }];`,
    "then safelight models check\n",
  ].join("\n  ")
}
