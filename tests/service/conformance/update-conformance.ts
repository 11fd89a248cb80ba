/** Writes the conformance table in the http adapter's README anew. */
import { readFileSync, writeFileSync } from "node:fs"
import { README, replacePage, toConformancePage } from "./conformance-page.ts"
import { SECTIONS } from "./sections.ts"

writeFileSync(README, replacePage(readFileSync(README, "utf8"), toConformancePage(SECTIONS)))
