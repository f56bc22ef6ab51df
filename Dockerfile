# syntax=docker/dockerfile:1
# One image for every process:  docker build -t carillon .
#   docker run carillon api | worker | migrate | all | doctor | restore
# With embedded Postgres and Redis, for one machine:  docker build -t carillon:lite --target lite .
#   docker run -p 3000:3000 -v carillon:/data --stop-timeout 40 carillon:lite

FROM node:24-slim AS build
WORKDIR /app
ENV TURBO_TELEMETRY_DISABLED=1 CI=true
RUN npm install --global pnpm@10.34.9
COPY . .
RUN pnpm install --frozen-lockfile
# Turbo is not started by `pnpm exec`, which adds a relative folder to PATH. Turbo would look that folder up inside each
# package.
RUN node_modules/.bin/turbo run build --filter=./apps/* --filter=carillon

# Keeps only the files for production. The binaries of the embedded Postgres, an optional dependency, are left out.
FROM build AS server
RUN rm -rf node_modules apps/*/node_modules packages/*/node_modules \
  && pnpm install --frozen-lockfile --prod --no-optional --filter=carillon... \
  && rm -rf bench tests docs packages/testkit apps/*/src apps/*/test packages/*/src packages/*/test

FROM build AS server-lite
RUN rm -rf node_modules apps/*/node_modules packages/*/node_modules \
  && pnpm install --frozen-lockfile --prod --filter=carillon... \
  && rm -rf bench tests docs packages/testkit apps/*/src apps/*/test packages/*/src packages/*/test

FROM node:24-slim AS runtime
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 WORKER_PORT=9100 CARILLON_HOME=/data
# The root file system may be read-only: the processes write only to /data. Handlers of users may write to /tmp.
RUN mkdir /data && chown node:node /data
VOLUME /data
EXPOSE 3000 9100
USER node
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s CMD ["node", "scripts/serve.mjs", "health"]
ENTRYPOINT ["node", "--enable-source-maps", "scripts/serve.mjs"]
CMD ["all"]

FROM runtime AS lite
COPY --from=server-lite /app /app

# `docker build` builds this last stage unless --target names another.
FROM runtime AS carillon
COPY --from=server /app /app
