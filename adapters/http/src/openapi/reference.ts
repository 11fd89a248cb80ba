/**
 * /openapi.json and the page that shows it, for everybody and without a key. Nothing is made or
 * read before the first request asks for it.
 */
import type { Model } from "@safelight/core"
import { Refusal } from "../errors/refusal.ts"
import type { Resource } from "../exchange.ts"
import type { PublicPrefix } from "../resources/public-prefix.ts"
import { DOCS_FILES, PAGE, PAGE_POLICY } from "./docs-files.ts"
import { createApiDocument } from "./document.ts"
import { createKeptFile } from "./kept-file.ts"

export interface ReferenceOptions {
  /** Those that the document describes. */
  readonly models: readonly Model[]
  readonly prefix: PublicPrefix
}

export function createReference({ models, prefix }: ReferenceOptions): Resource[] {
  const document = createKeptFile({
    type: "application/json; charset=utf-8",
    read: async () => toBytes(JSON.stringify(createApiDocument(models, prefix()))),
  })
  const page = createKeptFile({
    type: "text/html; charset=utf-8",
    read: async () => toBytes(PAGE),
    headers: { "content-security-policy": PAGE_POLICY, "referrer-policy": "no-referrer" },
  })
  const files = new Map(DOCS_FILES.map((file) => [file.name, createKeptFile(file)]))
  return [
    { path: "/openapi.json", methods: { GET: document } },
    { path: "/docs", methods: { GET: page } },
    {
      path: "/docs/:file",
      methods: {
        GET(exchange) {
          const file = files.get(exchange.param("file"))
          if (file === undefined) throw new Refusal("route_not_found")
          return file(exchange)
        },
      },
    },
  ]
}

function toBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
