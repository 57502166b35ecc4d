#!/usr/bin/env bash
# Colliders of method barrier in decks. It fails when a thin needle passes between the vertices of a face, a box that
# moves and turns, or a container that turns, is entered or left, ranks or a restart end elsewhere, forces are not those
# that the attachments need, a blocked step is not said to be so, or bad input is accepted.
# usage: test_collider_barrier.sh BUILD_DIR SOURCE_DIR     ranks: 4     cost: 9
. "$(dirname "$0")/lib.sh"

# deck NAME: from standard input, of a soft material by newton.
deck() {
  { cat; echo 'material: {model: stable_neohookean, young: 1e5, poisson: 0.3, density: 1000}
solver: {type: newton, rtol: 1e-9}'; } >"$1.yaml"
}

# sound DIRECTORY STEPS: every step has converged, apart from colliders, with contacts.
sound() {
  converged "$1" "$2"
  in_contact "$1"
}

# ---- needles and a turning ring of 4 mm through faces of 0.5 m: they stop at it, or it would be on their other side --
deck needle <<'DECK'
mesh: {box: {size: [1, 1, 0.1], cells: [2, 2, 1], origin: [-0.5, -0.5, 0]}}
attach: {xmin: {hard: true}, xmax: {hard: true}}
collider: {needle: {shape: capsule, centre: [0.11, 0.07, -0.3], axis: [0.1, 0, 1], radius: 2e-3, length: 0.5,
                    velocity: [0, 0, 2], until: 0.2, method: barrier}}
time: {step: 1e-2, steps: 15}
output: {every: 1, state_csv: true}
DECK
works 1 run needle.yaml -output_directory capsule
sed 's/shape: capsule/shape: cylinder/' needle.yaml >pin.yaml
works 1 run pin.yaml -output_directory cylinder
sed 's/shape: capsule.*length: 0.5/shape: torus, centre: [0.11, 0.07, -0.12], axis: [1, 0.3, 0], major_radius: 0.1,\n\
  minor_radius: 2e-3, spin: [0, 0, 60]/' needle.yaml >ring.yaml
works 1 run ring.yaml -collider_needle_velocity 0,0,1 -output_directory torus
for shape in capsule cylinder torus; do sound $shape 15; done
cat >through.py <<'PYTHON'
import sys
try:
    import numpy as np
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
except ImportError:
    sys.exit(77)
axis = np.array([0.1, 0, 1]) / np.hypot(0.1, 1)
angles = np.linspace(0, 2 * np.pi, 2001)[:, None]


def points_at(shape, time):
    if shape != "torus":
        return np.array([0.11, 0.07, -0.3 + 2 * time]) + np.linspace(-0.25, 0.25, 2001)[:, None] * axis
    turn = np.pi / 3 * time + np.arctan(0.3)
    across = np.array([-np.sin(turn), np.cos(turn), 0])
    return np.array([0.11, 0.07, -0.12 + time]) + 0.1 * (np.cos(angles) * across + np.sin(angles) * [0, 0, 1])


for frame in sys.argv[1:]:
    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(frame)
    reader.Update()
    grid = reader.GetOutput()
    x = vtk_to_numpy(grid.GetPoints().GetData()).astype(float)
    points = points_at(frame.split("/")[0], 0.01 * int(frame[-10:-4]))
    for c in range(grid.GetNumberOfCells()):
        corners = x[[grid.GetCell(c).GetPointId(i) for i in range(4)]]
        weights = np.linalg.solve(np.vstack([corners.T, np.ones(4)]), np.vstack([points.T, np.ones(len(points))]))
        if (weights.min(0) >= 0).any():
            sys.exit(f"{frame}: the needle is in tetrahedron {c}")
PYTHON
"$python" through.py {capsule,cylinder,torus}/frame_*[05].vtu >log 2>&1 ||
  { [ $? = 77 ] || fail "the needle has entered the plate"; }

# ---- a box that moves and turns strikes a body; on ranks ----
deck paddle <<'DECK'
mesh: {box: {size: [0.2, 0.2, 0.2], cells: [2, 2, 2], origin: [0.07, -0.1, -0.1]}}
collider: {paddle: {shape: box, centre: [0, 0, 0], size: [0.1, 0.05, 0.4], spin: [0, 90, 360], velocity: [1, 0, 0],
                    method: barrier}}
time: {step: 1e-2, steps: 12}
output: {every: 0, state_csv: true}
DECK
for ranks in 1 2 4; do
  works $ranks run paddle.yaml -output_directory paddle$ranks
  sound paddle$ranks 12
  near "$(far paddle1 paddle$ranks)" 0 1e-6 "positions on $ranks ranks"
done
column paddle1/steps.csv collider_paddle_fx | awk '$1 > most { most = $1 } END { exit !(most > 100) }' ||
  fail "the force of the paddle is not reported"
works 1 run paddle.yaml -time_steps 4 -output_directory half
works 2 run paddle.yaml -initial_restart half -output_directory rest
near "$(far paddle1 rest)" 0 1e-6 'positions after a restart'

column paddle1/steps.csv iterations | awk '{ n += $1 } END { exit !(n < 260) }' || # 176; 368 by minima to rtol
  fail "the parts of the way take too many iterations"

# ---- a body in containers that turn, by bdf2; self-contact and default methods ----
for shape in 'shape: box, size: [0.5, 0.5, 0.5]' 'shape: cylinder, radius: 0.27, length: 0.4' \
  'shape: sphere, radius: 0.3' 'shape: capsule, radius: 0.25, length: 0.3' \
  'shape: torus, major_radius: 0.5, minor_radius: 0.22, centre: [0.5, 0, 0]'; do
  [[ $shape = *centre* ]] || shape+=', centre: [0, 0, 0]'
  deck drum <<DECK
mesh: {box: {size: [0.2, 0.2, 0.2], cells: [2, 2, 2], origin: [-0.1, -0.1, -0.1]}}
gravity: [0, 0, -9.81]
collider: {drum: {$shape, inside: true, spin: [100, 20, 0]}}
self_contact: {method: barrier}
time: {step: 1e-2, steps: 40, integrator: bdf2}
output: {every: 0}
DECK
  works 1 run drum.yaml -solver_rtol 1e-6 -output_directory drum -output_overwrite true
  sound drum 40
done

# ---- a sphere pressed into a block, in statics: its force, that of the attachment and that on the face ----
deck press <<'DECK'
mesh: {box: {size: [1, 1, 0.4], cells: [6, 6, 3], origin: [-0.5, -0.5, -0.4]}}
attach: {zmin: {hard: true}}
collider: {ball: {shape: sphere, centre: [0.03, 0.02, 0.3], radius: 0.299, velocity: [0, 0, -0.05], method: barrier}}
time: {integrator: static, steps: 3}
probe: {top: {set: zmax}}
output: {every: 3, fields: [contact_pressure]}
DECK
works 2 run press.yaml -solver_rtol 1e-6 -output_directory press
sound press 3
paste <(last press/steps.csv collider_ball_fz) <(last press/steps.csv zmin_fz) <(last press/probes.csv top_contact_fz) |
  awk '{ a = $1 - $3; b = $1 + $2; exit !($1 < -50 && a * a < 1e-12 * $1 * $1 && b * b < 1e-6 * $1 * $1) }' ||
  fail "the force of the ball is not that on the face, or not that of the attachment"

# ---- a collider by the penalty beside it: pressures that are written leave it alone ----
sed 's/^collider: {/&far: {shape: half_space, point: [0, 0, -1], normal: [0, 0, 1], stiffness: 1e5}, /' \
  press.yaml >both.yaml
works 2 run both.yaml -solver_rtol 1e-6 -output_directory both

# ---- every method that may ----
for type in trust_region pncg gradient_descent qn auto; do
  works 1 run paddle.yaml -time_steps 3 -solver_type $type -solver_max_it 5000 -solver_rtol 1e-3 \
    -output_directory by_$type
  sound by_$type 3
done

# ---- a held body in the way ----
sed 's/^attach.*/set: {all: {box: [-1, -1, -1, 2, 2, 2]}}\nattach: {all: {hard: true}}/' press.yaml >stop.yaml
for ranks in 1 2; do
  expect 2 $ranks run stop.yaml -time_integrator implicit_euler -time_step 0.1 -output_directory stop \
    -output_fields vertex
  grep -Eq '^note: vertex [0-9]+, which is held, or a collider at it is stopped by a contact' log ||
    fail "a held vertex that stops a collider is not named"
done

# ---- more ranks than tetrahedra: those without vertices take part in what all do, or a run hangs ----
cat >one.mesh <<'MESH'
MeshVersionFormatted 2
Dimension 3
Vertices
4
0 0 0 0
1 0 0 0
0 1 0 0
0 0 1 0
Tetrahedra
1
1 2 3 4 0
End
MESH
deck one <<'DECK'
mesh: {file: one.mesh}
gravity: [1, 0, -9.81]
drag: {rate: 1}
set: {top: {box: [-1, -1, 0.9, 1, 1, 2]}}
attach: {top: {hard: true, components: x}}
self_contact: {method: barrier}
collider: {floor: {shape: half_space, point: [0, 0, -1e-3], normal: [0, 0, 1], method: barrier, friction: 0.3}}
time: {step: 1e-2, steps: 3}
output: {every: 1, fields: [contact_pressure, friction_traction]}
DECK
works 4 run one.yaml -output_directory one
sound one 3

# ---- bad input ----
refused "collider: 'paddle' and vertex [0-9]+ pass through each other at the start" run paddle.yaml \
  -collider_paddle_centre 0.1,0,0
refused "collider: 'needle' and triangle [0-9-]+ pass through each other at the start" run needle.yaml \
  -collider_needle_centre 0.11,0.07,0.05
refused "collider: 'ball' is inside a body at the start" run press.yaml -collider_ball_centre 0.03,0.02,-0.2 \
  -collider_ball_radius 0.01
refused 'collider_ball_stiffness is not a key of method barrier' run press.yaml -collider_ball_stiffness 1e4
refused 'collider_ball_slip_speed is not a key of method penalty' run press.yaml -collider_ball_method penalty \
  -collider_ball_slip_speed 1e-3
refused 'collider_ball_gap is not a key of method penalty' run press.yaml -collider_ball_method penalty \
  -collider_ball_gap 1e-3
refused 'collider_ball_gap is 0.2 m, expected at most the shortest edge' run press.yaml -collider_ball_gap 0.2
refused "solver 'xpbd' cannot use method barrier of contacts" run press.yaml -time_integrator implicit_euler \
  -time_step 0.1 -solver_type xpbd
refused "integrator 'implicit_midpoint' cannot use" run press.yaml -time_integrator implicit_midpoint -time_step 0.1
exit 0
