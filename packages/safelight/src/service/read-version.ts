/** The version of this package, from its manifest, which stands in the same place from sources and as packed. */
import { readFile } from "node:fs/promises"

export async function readVersion(): Promise<string> {
  const manifest = await readFile(new URL("../../package.json", import.meta.url), "utf8")
  return (JSON.parse(manifest) as { readonly version: string }).version
}
