/**
 * Where the built page is: `index.html`, to be served at `/`, and `assets/`, whose names contain their hashes. It is
 * the same folder for this source and for its build, since both lie one folder below the package.
 */
export const consoleFolder: URL = new URL("../dist/page/", import.meta.url)
