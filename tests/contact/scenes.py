"""
python3 scenes.py NAME FOLDER writes NAME.mesh, NAME.yaml and, where body 2 moves, NAME.csv in FOLDER; without arguments
it prints the names.

Scenes of bodies that must not pass through each other, with self_contact by its defaults, and motions that a method
without edges, or that looks at positions at the ends of steps only, gets wrong; from `tips` on the degenerate cases of
Erleben 2018, Methodology for Assessing Mesh-Based Contact Point Methods, ACM Trans. Graph. 37(3).
"""
import sys
import os

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bodies import Mesh, shift, turn  # noqa: E402


def rods(mesh):
    """Two bars cross between their vertices: only edges meet."""
    mesh.add_box((-0.51, -0.02, 0), (0.49, 0.02, 0.04), (9, 1, 1), 1)
    mesh.add_box((-0.02, -0.47, 0.06), (0.02, 0.53, 0.1), (1, 9, 1), 2)
    return {"set": "{held: {box: [-0.6, -1, -1, -0.5, 1, 0.045]}, end: {box: [0.48, -1, -1, 0.6, 1, 0.045]}}",
            "attach": "{held: {hard: true}, end: {hard: true}}", "velocity": [0, 0, -2],
            "step": 1e-2, "steps": 40}


def needle(mesh):
    """A needle falls on a plate, in the middle of a triangle."""
    mesh.add_box((-0.3, -0.3, -0.03), (0.3, 0.3, 0), (5, 5, 1), 1)

    def taper(p):
        width = 0.002 + 0.05 * min(p[2] / 0.15, 1)
        return 0.021 + width * p[0], 0.013 + width * p[1], 0.01 + p[2]

    mesh.add_box((-0.5, -0.5, 0), (0.5, 0.5, 0.3), (1, 1, 6), 2, taper)
    return {"set": "{rim: {box: [-0.31, -1, -1, -0.29, 1, 0.001]}, rim2: {box: [0.29, -1, -1, 0.31, 1, 0.001]}}",
            "attach": "{rim: {hard: true}, rim2: {hard: true}}", "velocity": [0, 0, -1],
            "step": 1e-2, "steps": 30}


def cube(mesh):
    """A cube at 8 m/s moves by four times the thickness of the plate in a step."""
    mesh.add_box((-0.4, -0.4, -0.02), (0.4, 0.4, 0), (6, 6, 1), 1)
    mesh.add_box((-0.1, -0.1, 0), (0.1, 0.1, 0.2), (2, 2, 2), 2, turn((0, 2), 12, shift(0.03, 0.02, 0.1)))
    return {"set": "{rim: {box: [-0.41, -1, -1, -0.39, 1, 0.001]}, rim2: {box: [0.39, -1, -1, 0.41, 1, 0.001]}}",
            "attach": "{rim: {hard: true}, rim2: {hard: true}}", "velocity": [0, 0, -8],
            "step": 1e-2, "steps": 25}


def tori(mesh):
    """Two linked rings are pulled apart."""
    mesh.add_ring(0.4, 0.1, (16, 1, 1), 1)
    mesh.add_ring(0.4, 0.1, (16, 1, 1), 2, turn((1, 2), 90, shift(0.4, 0, 0)))
    return {"set": "{left: {box: [-1, -1, -1, -0.34, 1, 1]}, right: {box: [0.74, -1, -1, 2, 1, 1]}}",
            "attach": "{left: {hard: true}, right: {hard: true, velocity: [1, 0, 0], until: 0.5}}",
            "step": 2e-2, "steps": 30, "young": 1e5}


def block(mesh):
    """A block falls by 5 mm on a block that is held."""
    mesh.add_box((-0.2, -0.2, -0.1), (0.2, 0.2, 0), (4, 4, 1), 1)
    mesh.add_box((-0.11, -0.09, 0.005), (0.09, 0.11, 0.205), (2, 2, 2), 2)
    return {"set": "{floor: {box: [-1, -1, -0.11, 1, 1, -0.09]}}", "attach": "{floor: {hard: true}}",
            "step": 1e-2, "steps": 20}


def chain(mesh):
    """Five linked rings hang between two that are held, and sag."""
    for i in range(5):
        upright = shift(0.34 * i, 0, 0)
        mesh.add_ring(0.25, 0.06, (14, 1, 1), i + 1, turn((1, 2), 90, upright) if i % 2 else upright)
    return {"set": "{left: {box: [-1, -1, -1, -0.21, 1, 1]}, right: {box: [1.57, -1, -1, 2, 1, 1]}}",
            "attach": "{left: {hard: true}, right: {hard: true}}", "step": 1e-2, "steps": 40, "young": 1e6}


def cloth(mesh):
    """A cloth falls on the tip of a needle."""

    def taper(p):
        width = 0.04 - 0.038 * p[2] / 0.3
        return 0.017 + width * p[0], 0.011 + width * p[1], p[2]

    mesh.add_box((-0.5, -0.5, 0), (0.5, 0.5, 0.3), (1, 1, 5), 1, taper)
    mesh.add_sheet((-0.3, -0.3), (0.3, 0.3), (10, 10), 2, shift(0, 0, 0.31))
    return {"set": "{foot: {box: [-1, -1, -0.01, 1, 1, 0.01]}}", "attach": "{foot: {hard: true}}",
            "membrane": "{tag2: {stiffness: 1e3, density: 0.3}}",
            "bending": "{tag2: {model: isometric, stiffness: 1e-4}}", "step": 1e-2, "steps": 30}


def falls(held, **more):
    """Body 2 falls at 1 m/s on body 1, which is held below z = held."""
    return {"set": f"{{foot: {{box: [-1, -1, -1, 1, 1, {held}]}}}}", "attach": "{foot: {hard: true}}",
            "velocity": [0, 0, -1], "step": 1e-2, "steps": 20, **more}


def tips(mesh):
    """A pyramid on the tip of another one: a vertex meets a vertex."""
    mesh.add_wedge(0.2, 0.2, 0, 1)
    mesh.add_wedge(0.2, 0.2, 0, 2, turn((1, 2), 180, shift(0, 0, 0.405)))
    return falls(0.001)


def ridges(mesh):
    """A wedge on another one: their ridges are parallel, and begin and end at the same places."""
    mesh.add_wedge(0.2, 0.2, 0.4, 1)
    mesh.add_wedge(0.2, 0.2, 0.4, 2, turn((1, 2), 180, shift(0, 0, 0.405)))
    return falls(0.001)


def crossed(mesh):
    """The same, at right angles: only the middles of edges meet."""
    mesh.add_wedge(0.2, 0.2, 0.4, 1)
    mesh.add_wedge(0.2, 0.2, 0.4, 2, turn((1, 2), 180, turn((0, 1), 90, shift(0, 0, 0.405))))
    return falls(0.001)


def crack(mesh):
    """A wedge falls into the slit between two boxes, 10 mm wide and as long as its ridge."""
    for x in -0.105, 0.105:
        mesh.add_box((x - 0.1, -0.2, -0.1), (x + 0.1, 0.2, 0), (2, 4, 1), 1)
    mesh.add_wedge(0.1, 0.2, 0.4, 2, turn((1, 2), 180, shift(0, 0, 0.205)))
    return falls(-0.099)


def cliff(mesh):
    """A box falls on one of the same width: faces are coplanar, edges and vertices above each other."""
    mesh.add_box((-0.1, -0.1, -0.1), (0.1, 0.1, 0), (2, 2, 1), 1)
    mesh.add_box((-0.1, 0, 0.005), (0.1, 0.2, 0.105), (2, 2, 1), 2)
    return falls(-0.099)


def seams(mesh):
    """A box slides at 2 m/s over the edges inside a face, with its own edges along them."""
    mesh.add_box((-0.3, -0.1, -0.05), (0.3, 0.1, 0), (12, 4, 1), 1)
    mesh.add_box((-0.3, -0.05, 0.001), (-0.2, 0.05, 0.101), (2, 2, 2), 2)
    return falls(-0.049, velocity=[2, 0, -0.1])


SCENES = {scene.__name__: scene for scene in (rods, needle, cube, tori, block, chain, cloth, tips, ridges, crossed,
                                              crack, cliff, seams)}


def write(name, folder):
    mesh = Mesh()
    deck = SCENES[name](mesh)
    mesh.write(os.path.join(folder, f"{name}.mesh"))
    start = None
    if "velocity" in deck:
        start = f"initial: {{velocities: {name}.csv}}"
        moves = {v for *tet, tag in mesh.tets if tag == 2 for v in tet}
        with open(os.path.join(folder, f"{name}.csv"), "w", encoding="utf-8") as f:
            print("vertex,x,y,z", file=f)
            for v in range(len(mesh.vertices)):
                print(v, *(deck["velocity"] if v in moves else (0, 0, 0)), sep=",", file=f)
    lines = [f"mesh: {{file: {name}.mesh}}",
             f"material: {{model: neohookean, young: {deck.get('young', 5e5):g}, poisson: 0.3, density: 1000}}",
             start, "gravity: [0, 0, -9.81]",
             *(f"{key}: {deck[key]}" for key in ("set", "attach", "membrane", "bending") if key in deck),
             "self_contact: {method: barrier}", f"time: {{step: {deck['step']:g}, steps: {deck['steps']}}}",
             f"output: {{directory: {name}, every: 1, precision: double, state_csv: true}}"]
    with open(os.path.join(folder, f"{name}.yaml"), "w", encoding="utf-8") as f:
        print(*filter(None, lines), sep="\n", file=f)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        write(*sys.argv[1:])
    else:
        print(*SCENES)
