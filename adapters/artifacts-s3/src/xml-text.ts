/**
 * Reads the few flat elements that S3 answers with. It is no parser of XML: it looks for elements
 * by name, without attributes of meaning, namespaces or comments, which S3 does not send; what it
 * does not find is undefined, and the caller says so.
 */
const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  apos: "'",
  gt: ">",
  lt: "<",
  quot: '"',
}

/** The text of the first such element. */
export function findText(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]
  return text === undefined ? undefined : unescapeXml(text)
}

/** What stands in each such element, as XML. */
export function findElements(xml: string, name: string): readonly string[] {
  const elements = xml.split(`<${name}>`).slice(1)
  return elements.map((rest) => rest.split(`</${name}>`, 1)[0] ?? "")
}

/** The name of the outermost element. */
export function findRoot(xml: string): string | undefined {
  return /^\s*(?:<\?[^>]*\?>\s*)?<([A-Za-z]+)[\s/>]/.exec(xml)?.[1]
}

export function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
}

function unescapeXml(text: string): string {
  return text.replaceAll(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]+));/gi, toCharacter)
}

function toCharacter(entity: string, hex?: string, decimal?: string, name?: string): string {
  if (name !== undefined) return ENTITIES[name] ?? entity
  const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
  return point <= 0x10_ff_ff ? String.fromCodePoint(point) : entity
}
