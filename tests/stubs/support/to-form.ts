/** A form of these fields; one that is undefined is left out. */
export function toForm(
  fields: Readonly<Record<string, string | number | Blob | undefined>>,
): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (value instanceof Blob) form.set(name, value, "input")
    else if (value !== undefined) form.set(name, String(value))
  }
  return form
}
