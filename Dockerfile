# The verifier alone: it needs no network to run, and no privilege.
#
#   docker build --tag tallyproof .
#   docker run --rm --network none --read-only --tmpfs /tmp --volume "$PWD:/evidence:ro" \
#     tallyproof audit /evidence/season.zip --policy /evidence/policy.toml

FROM python:3.13-slim AS build
WORKDIR /build
COPY pyproject.toml README.md LICENSE CHANGELOG.md ./
COPY formulas formulas
COPY verifier verifier
COPY sitegen sitegen
COPY site/content site/content
RUN python -m venv /opt/tallyproof && /opt/tallyproof/bin/pip install --no-cache-dir .

FROM python:3.13-slim
COPY --from=build /opt/tallyproof /opt/tallyproof
RUN useradd --system --no-create-home --shell /usr/sbin/nologin tallyproof
USER tallyproof
WORKDIR /evidence
# Archives are unpacked into a folder of their own, which --read-only would forbid.
VOLUME /tmp
ENV PYTHONDONTWRITEBYTECODE=1
ENTRYPOINT ["/opt/tallyproof/bin/tallyproof"]
CMD ["--help"]
