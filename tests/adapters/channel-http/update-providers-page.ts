/** Writes the reference page of the providers anew. */
import { writeFileSync } from "node:fs"
import { PAGE, toProvidersPage } from "./providers-page.ts"

writeFileSync(PAGE, toProvidersPage())
