/** The reference page of the providers is that of their declarations. */
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { it } from "node:test"
import { PAGE, toProvidersPage } from "./providers-page.ts"

it("the page of the providers says what they declare: `npm run providers:update` writes it", () => {
  assert.equal(readFileSync(PAGE, "utf8"), toProvidersPage())
})
