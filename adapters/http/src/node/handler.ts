/** The handler under Node: the files of installed packages can be read, so it serves /docs, and it compresses files. */
import { readFile } from "node:fs/promises"
import { createHttpHandler, type HttpHandlerOptions } from "../handlers/http-handler.ts"
import type { HttpHandler } from "../pipeline/router.ts"
import { compressFile } from "./compress-file.ts"

/** Throws `invalid-configuration`, naming the setting that is wrong or the model that can't be described. */
export function createNodeHandler(options: HttpHandlerOptions): HttpHandler {
  return createHttpHandler({ readPackageFile, compress: compressFile, ...options })
}

function readPackageFile(specifier: string): Promise<Uint8Array> {
  return readFile(new URL(import.meta.resolve(specifier)))
}
