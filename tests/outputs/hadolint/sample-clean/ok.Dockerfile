FROM debian:12
CMD ["true"]
