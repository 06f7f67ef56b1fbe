"""Uses the embedded STAC API as people do, with pystac-client, and checks every document against the core
schemas that pystac brings along (of STAC 1.1.0, which our documents fulfil but for their version number).

Prints what is wrong and ends with 1, or prints "ok".
"""
import sys
import warnings

from pystac.validation.local_validator import LocalValidator
from pystac_client import Client

warnings.simplefilter("error")  # a warning of the client is a fault of the server
base = sys.argv[1]
faults = []


def expect(what, got, want):
    if got != want:
        faults.append(f"{what}: got {got!r}, want {want!r}")


client = Client.open(base)
collections = list(client.get_collections())
expect("collections", [c.id for c in collections], ["test-collection"])
collection = client.get_collection("test-collection")
items = list(collection.get_items())
expect("items of the collection", len({i.id for i in items}), 100)
extent = collection.extent.spatial.bboxes[0]
for i in items:
    w, s, e, n = i.bbox
    if w < extent[0] or s < extent[1] or e > extent[2] or n > extent[3]:
        faults.append(f"{i.id} lies outside the extent")
one = collection.get_item(items[0].id)
expect("item by id", one.id, items[0].id)
expect("its collection", one.get_collection().id, "test-collection")
expect("its parent", one.get_parent().id, "test-collection")
expect("an item that is not there", collection.get_item("nothing"), None)

below = {i.id for i in items if i.properties["eo:cloud_cover"] < 50}
boxed = [20, 20, 21, 21]
for method in ("GET", "POST"):
    def found(**search):
        return [i["id"] for i in client.search(method=method, collections=["test-collection"], **search).items_as_dicts()]

    def check(what, want, **search):
        got = found(**search)
        expect(f"{what} by {method}, twice the same", len(got), len(set(got)))
        expect(f"{what} by {method}", set(got) ^ set(want), set())

    everything = [i.id for i in items]
    check("pages of 7", everything, limit=7)
    check("ids", everything[:3], ids=everything[:3])
    check("filter as JSON", below, filter={"op": "<", "args": [{"property": "eo:cloud_cover"}, 50]}, filter_lang="cql2-json")
    if method == "GET":
        check("filter as text", below, filter="eo:cloud_cover < 50", filter_lang="cql2-text")
    check("query", below, query={"eo:cloud_cover": {"lt": 50}})
    check("time", [i.id for i in items if "2023-06-03" <= i.properties["datetime"][:10] <= "2023-06-05"], datetime="2023-06-03/2023-06-05")
    hits = found(bbox=boxed)
    if not 4 <= len(hits) < 100:
        faults.append(f"box by {method}: {len(hits)} items")
    ring = [[20, 20], [21, 20], [21, 21], [20, 21], [20, 20]]
    check("polygon of the box", hits, intersects={"type": "Polygon", "coordinates": [ring]})
    clouds = [i["properties"]["eo:cloud_cover"] for i in
              client.search(method=method, sortby="-properties.eo:cloud_cover", limit=9).items_as_dicts()]
    expect(f"sorted by {method}", clouds, sorted(clouds, reverse=True))
    expect(f"matched by {method}", client.search(method=method, bbox=boxed).matched(), len(hits))
    few = next(client.search(method=method, fields=["id", "properties.datetime"], max_items=1).items_as_dicts())
    expect(f"fields by {method}", "assets" in few, False)
expect("queryables", client.get_queryables()["type"], "object")

warnings.simplefilter("ignore")  # the schemas are what we are after, whatever becomes of their wrapper
validator = LocalValidator()
for document, check in [(client.to_dict(), validator.catalog_validator("1.1.0")), (collection.to_dict(), validator.collection_validator("1.1.0"))] + [
    (i.to_dict(), validator.item_validator("1.1.0")) for i in items
]:
    document["stac_version"], document["stac_extensions"] = "1.1.0", []
    if document.get("license") == "proprietary":
        document["license"] = "other"  # its name since 1.1.0
    faults += [f"{document['id']}: {e.message[:200]}" for e in check.iter_errors(document)]

print("\n".join(faults) or "ok")
sys.exit(bool(faults))
