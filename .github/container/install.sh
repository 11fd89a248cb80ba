# Installs the packed packages into /opt/safelight, and lists what is in there as sbom.cdx.json (CycloneDX).
set -eu
# A registry may have a version before it has those which that one needs: what it had a day ago is whole.
yesterday=$(node -p 'new Date(Date.now() - 86400000).toISOString()')
npm install --omit=dev --ignore-scripts --no-audit --no-fund /tarballs/*.tgz ||
  npm install --omit=dev --ignore-scripts --no-audit --no-fund --before "$yesterday" /tarballs/*.tgz
npm sbom --omit=dev --sbom-format=cyclonedx > sbom.cdx.json
# What no program loads: sources, types, maps of sources, pages, bundles and fonts of which another is used. Licences
# stay.
find node_modules -type f \( -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.map' \) -delete
find node_modules -type f -iname '*.md' ! -iname '*licen[cs]e*' ! -iname '*notice*' -delete
rm node_modules/swagger-ui-dist/swagger-ui-es-bundle*.js
find node_modules/dejavu-fonts-ttf/ttf -name '*.ttf' ! -name DejaVuSans.ttf ! -name DejaVuSerif.ttf -delete
rm install.sh
# Node may need this library, which the base lacks. Its processes get no LD_LIBRARY_PATH.
mkdir /node-libraries
find /lib /usr/lib -name libatomic.so.1 -exec cp -L {} /node-libraries/ \;
mkdir /data
chmod 0700 /data
