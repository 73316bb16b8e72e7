# Compiles the static program on Debian 12, for the architecture of the engine:
#   docker build -t tapedeck --build-arg "REVISION=$(git rev-parse HEAD)" .    an image like the one of script/package
#   docker build --target tarball --output dist .                              the tarball of script/package
FROM debian:12 AS build
ARG SOURCE_DATE_EPOCH=0
WORKDIR /source
COPY . .
RUN script/package --tarball && mkdir /program /empty && tar -xzf dist/*.tar.gz -C /program --strip-components=1

FROM scratch AS tarball
COPY --from=build /source/dist/ /

FROM scratch
ARG REVISION=unknown
LABEL org.opencontainers.image.title=tapedeck org.opencontainers.image.licenses=MIT \
  org.opencontainers.image.source=https://github.com/tapedeck/tapedeck org.opencontainers.image.revision=$REVISION
COPY --from=build /program/tapedeck /usr/bin/tapedeck
COPY --from=build /program/LICENSE /program/THIRD-PARTY.txt /usr/share/doc/tapedeck/
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build --chown=65534:65534 /empty /tmp
COPY --from=build --chown=65534:65534 /empty /cassettes
ENV PATH=/usr/bin HOME=/tmp
USER 65534:65534
WORKDIR /cassettes
VOLUME /cassettes
ENTRYPOINT ["tapedeck"]
