/**
 * The catalogue: a file of JSON a model, in `models/` beside the sources and beside what is built of them. A file is
 * read when it is asked for and never before. It is a model's file as an operator writes one, and tests hold every one
 * of them to that.
 */
import { readdir, readFile } from "node:fs/promises"
import type { ModelPrice } from "@safelight/core"

export interface CatalogueModel {
  /** Short and unique in the catalogue, such as `flux-2-pro`: the last part of the id, and the file's name. */
  readonly name: string
  readonly file: CatalogueFile
  /** The file as it stands. */
  readonly text: string
}

/** What the catalogue promises of a model's file, of which it knows more. */
export interface CatalogueFile {
  readonly id: string
  readonly title: string
  readonly description: string
  /** By kind of artifact. */
  readonly outputs: Readonly<Record<string, unknown>>
  /** JSON Schema of the parameters. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly examples: readonly Readonly<Record<string, unknown>>[]
  /** By the type of a channel: the upstream model's id, or how a request to it is made. */
  readonly providers: Readonly<Record<string, string | CatalogueUpstream>>
  /** Where the facts were read. */
  readonly sources: readonly ModelSource[]
}

export interface CatalogueUpstream {
  readonly model: string
  readonly cost?: ListPrice
}

/** What a provider charges: US dollars in micro-units. */
export interface ListPrice extends ModelPrice {
  /** The address where it was read, and the day. */
  readonly source: string
  readonly read: string
}

export interface ModelSource {
  /** An address, or a package such as `npm:openai@7.57.0`. */
  readonly address: string
  /** The day, such as `2026-11-26`. */
  readonly read: string
  readonly says: string
}

const FOLDER = new URL("../models/", import.meta.url)

/** All models, by name. */
export async function listCatalogue(): Promise<readonly CatalogueModel[]> {
  const names = await listNames()
  return Promise.all(names.map(readCatalogueModel))
}

/** By its name in the catalogue or by its id; undefined if there is none. */
export async function findCatalogueModel(nameOrId: string): Promise<CatalogueModel | undefined> {
  // Only a listed name becomes part of a path.
  const name = nameOrId.slice(nameOrId.lastIndexOf("/") + 1)
  if (!(await listNames()).includes(name)) return undefined
  const found = await readCatalogueModel(name)
  return nameOrId === name || nameOrId === found.file.id ? found : undefined
}

async function listNames(): Promise<readonly string[]> {
  const files = await readdir(FOLDER)
  return files
    .filter((file) => file.endsWith(".json"))
    .map((file) => file.slice(0, -".json".length))
    .toSorted()
}

async function readCatalogueModel(name: string): Promise<CatalogueModel> {
  const text = await readFile(new URL(`${name}.json`, FOLDER), "utf8")
  return { name, text, file: JSON.parse(text) as CatalogueFile }
}
